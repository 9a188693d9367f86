/**
 * `npm run bench:all`: times and memory of the command, each compared with an anchor that is measured in turn, and
 * the reference server compared with a bare one.
 *
 *   npm run bench:all [-- --runs 5 --only TEXT --seconds 3 --streams 1000 --open 5000 --rows 100000]
 *
 * Prints the medians and the ratio of each figure to its anchor, with its goal; ends with 1 if a goal is missed.
 * For an idle machine with Linux.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { lowerMedianOf } from '../contract/averages.ts'
import { listenOnLoopback } from '../harness/client/test-support/listen-on-loopback.ts'
import { childServer } from '../harness/load/child-server.ts'
import { columns } from '../reports/text/format.ts'
import { bin, memoryIn, serve } from './foreign/programs.ts'
import { optionsOf, scriptFolder } from './options.ts'
import { type Row, serverFigures } from './server/figures.ts'

const values = optionsOf(import.meta, {
  ...{ runs: 5, only: '', seconds: 3, streams: 1_000, open: 5_000, rows: 100_000 },
})
const key = 'sk-bench-all-4711'
const streams = 500
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const folder = scriptFolder('bench')
writeFileSync(
  join(folder, 'trivial.test.js'),
  Array.from({ length: 16 }, (_, at) => `test('${at}', () => { expect(${at}).toBe(${at}) })`).join(
    '\n',
  ),
)

interface Figure {
  readonly name: string
  readonly unit: 'ms' | 'MB'
  readonly anchor: string
  /** Maximum ratio to the anchor. */
  readonly goal: number
  readonly ours: () => Promise<number>
  readonly its: () => Promise<number>
}

const client = (url: string, count: number) => [
  ...[path('server/bare-client.mjs'), url, key, String(count)],
]
const load = (url: string, ...plan: readonly string[]) => [
  ...[bin, 'load', url, '--mix', 'openai-stream', '--report', 'json', '--quiet', ...plan],
]
const check = [bin, 'check', '--quiet']
const vitest = path('../node_modules/.bin/vitest')
const sixteenTests = () => lasting([vitest, 'run', '--globals', '--root', folder])

const faulty = await serve('--key', key, '--fault', 'openai.chat: object is lost')
const paced = await serve('--key', key, '--pace', 'ttft=200ms,gap=50ms')
/** Goals by the figures of the issue tracker: 190 ms to 27 ms of a bare Node, 3.5 s to 1.7 s of vitest, and so on. */
const figures: readonly Figure[] = [
  {
    ...{ name: '--help', unit: 'ms', goal: 7, anchor: 'node --eval 0' },
    ours: () => lasting([bin, '--help']),
    its: () => lasting(['--eval', '0']),
  },
  {
    ...{ name: 'serve, to listening', unit: 'ms', goal: 4, anchor: 'bare node:http server' },
    ours: () => listening(() => serve('--key', key)),
    its: () => listening(() => childServer([path('server/bare-paced.ts')], { line: '{}' })),
  },
  {
    ...{ name: 'check --reference', unit: 'ms', goal: 2.1, anchor: 'vitest, 16 trivial tests' },
    ours: () => lasting([...check, '--reference']),
    its: sixteenTests,
  },
  {
    ...{ name: 'check --failed, one requirement', unit: 'ms', goal: 0.9 },
    anchor: 'vitest, 16 trivial tests',
    ours: () => lasting([...check, faulty.url, '--failed', '--out', join(folder, 'failed')]),
    its: sixteenTests,
  },
  {
    ...{ name: 'load, to its first request', unit: 'ms', goal: 8, anchor: 'bare client' },
    ours: () => untilRequest((url) => load(url, '--rate', '50', '--duration', '5s')),
    its: () => untilRequest((url) => client(url, 1)),
  },
  {
    ...{ name: `load, memory at ${streams} streams`, unit: 'MB', goal: 2.2, anchor: 'bare client' },
    ours: () => peakMb(load(paced.url, '--concurrency', String(streams), '--duration', '8s')),
    its: () => peakMb(client(paced.url, streams)),
  },
]

try {
  const only = ['--only', 'OAI-CHAT-03', '--out', join(folder, 'failed')]
  await lasting([...check, faulty.url, ...only])
  const ofCommand = figures.map((figure) => ({ ...figure, rows: () => measured(figure) }))
  const rows: Row[] = []
  for (const { name, rows: measure } of [...ofCommand, ...serverFigures]) {
    if (name.includes(values.only)) rows.push(...(await measure(values)))
  }
  const cells = rows.map(({ name, figure, anchor, anchorFigure, ratio, goal, isMet }) => [
    ...[name, figure, anchor, anchorFigure, ratio.toFixed(2), goal, isMet ? 'met' : 'MISSED'],
  ])
  console.log(`Node ${process.version}, load of the machine ${(loadavg()[0] ?? 0).toFixed(1)}\n`)
  console.log(columns([['', 'median', 'anchor', '', 'ratio', 'goal', ''], ...cells]).join('\n'))
  process.exitCode = rows.every(({ isMet }) => isMet) ? 0 : 1
} finally {
  await Promise.all([faulty, paced].map((server) => server.stop()))
}

/** Medians of a figure and its anchor in turn, and of their ratios. */
async function measured({ name, unit, anchor, goal, ours, its }: Figure): Promise<readonly Row[]> {
  const runs: (readonly [ours: number, its: number])[] = []
  for (let run = 0; run < values.runs; run += 1) runs.push([await ours(), await its()])
  const median = (of: (pair: (typeof runs)[number]) => number) =>
    lowerMedianOf(runs.map(of)) ?? Number.NaN
  const ratio = median(([own, other]) => own / other)
  const text = (value: number) => `${value.toFixed(0)} ${unit}`
  return [
    {
      ...{ name, figure: text(median(([own]) => own)) },
      ...{ anchor, anchorFigure: text(median(([, other]) => other)) },
      ...{ ratio, goal: `<= ${goal}`, isMet: ratio <= goal },
    },
  ]
}

function run(args: readonly string[]): ChildProcess {
  const env = { ...process.env, CHATGEN_API_KEY: key, NODE_ENV: '' }
  return spawn(process.execPath, args, { cwd: folder, env, stdio: 'ignore' })
}

async function lasting(args: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  await once(run(args), 'exit')
  return performance.now() - startedAt
}

async function listening(start: () => Promise<{ stop(): Promise<void> }>): Promise<number> {
  const startedAt = performance.now()
  const server = await start()
  const ms = performance.now() - startedAt
  await server.stop()
  return ms
}

async function untilRequest(args: (url: string) => readonly string[]): Promise<number> {
  const server = createServer()
  const { port, close } = await listenOnLoopback(server)
  const startedAt = performance.now()
  const child = run(args(`http://127.0.0.1:${port}`))
  await once(server, 'request')
  const ms = performance.now() - startedAt
  child.kill('SIGKILL')
  await close()
  return ms
}

/** `VmHWM` of a process until its end, sampled. */
async function peakMb(args: readonly string[]): Promise<number> {
  const child = run(args)
  let peak = 0
  while (child.exitCode === null && child.signalCode === null) {
    peak = Math.max(peak, memoryIn(child.pid, 'VmHWM') / 2 ** 20)
    await sleep(50)
  }
  return peak
}
