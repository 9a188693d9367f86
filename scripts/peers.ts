/**
 * Our load engine beside other load generators, against the same paced server, whose own stamps are the
 * truth. Programs that are not on PATH are left out, with a line that says so.
 *
 *   node scripts/peers.ts [--rates 10,40] [--seconds 20] [--tokens 40] [--only vegeta,oha] [--keep DIR]
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { childServer } from '../harness/load/child-server.ts'
import type { LoggedStream, LoggingServerOptions } from './load/logging-server.ts'
import { table } from './load/text.ts'
import { bodyReaders } from './peers/body-readers.ts'
import type { Figures, Order, Peer } from './peers/peer.ts'
import { streamReaders } from './peers/stream-readers.ts'
import { type Pair, type Truth, truthOf } from './peers/truth.ts'
import { UsageSampler } from './peers/usage.ts'

const { values } = parseArgs({
  options: {
    rates: { type: 'string', default: '10,40' },
    seconds: { type: 'string', default: '20' },
    tokens: { type: 'string', default: '40' },
    only: { type: 'string', default: '' },
    keep: { type: 'string' },
  },
})

const pace = 'ttft=lognormal(200ms,0.4),gap=lognormal(20ms,0.4)'
const key = 'peers-key'
/** Time beyond the length of the run: a Python program takes its time to start. */
const patienceMs = 300_000
const root = values.keep ?? mkdtempSync(join(tmpdir(), 'chatgen-peers-'))

const only = values.only.split(',').filter(Boolean)
const chosen = [...streamReaders, ...bodyReaders].filter(
  ({ name }) => only.length === 0 || only.includes(name),
)
const present = chosen.filter((peer) => {
  const { error, stdout } = spawnSync(peer.program, peer.version, { encoding: 'utf8' })
  console.log(
    error === undefined
      ? `${peer.name}: ${stdout.trim().split('\n')[0]}; ${peer.note}`
      : `${peer.name}: left out, ${peer.program} is not on PATH`,
  )
  return error === undefined
})
console.log(
  `\nNode ${process.version}; ${availableParallelism()} CPUs, ${cpus()[0]?.model}; pace ${pace}, ${values.tokens} tokens an answer`,
)

const head = [
  ...['', 'requests', 'ttft', 'between tokens', 'e2e', 'late > 10 ms', 'lateness', 'rate'],
  ...['CPU ms a stream-second', 'MB', 'MB a stream'],
]

try {
  for (const rate of values.rates.split(',').map(Number)) {
    const rows: string[][] = []
    for (const peer of present) rows.push(await measured(peer, rate))
    console.log(
      `\n${rate} requests a second for ${values.seconds} s; errors in ms against the server's stamps, p50 / p99; load of the machine ${(loadavg()[0] ?? 0).toFixed(1)}\n`,
    )
    console.log(table(head, rows))
  }
} finally {
  if (values.keep === undefined) rmSync(root, { recursive: true, force: true })
}

async function measured(peer: Peer, rate: number): Promise<string[]> {
  const folder = join(root, `${peer.name.replaceAll(' ', '-')}-${rate}`)
  mkdirSync(folder, { recursive: true })
  const log = join(folder, 'server.ndjson')
  const file = fileURLToPath(new URL('./load/logging-server.ts', import.meta.url))
  const server = await childServer([file], {
    line: JSON.stringify({ pace, seed: 1, key, log } satisfies LoggingServerOptions),
  })
  const [seconds, tokens] = [Number(values.seconds), Number(values.tokens)]
  const order: Order = { url: server.url, key, rate, seconds, tokens, folder }
  try {
    const usage = await run(peer, order)
    await server.stop()
    const streams = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line): LoggedStream => JSON.parse(line))
    return row(peer, peer.figures(order), truthOf(streams, rate), usage, streams)
  } catch (error) {
    return [peer.name, error instanceof Error ? error.message.slice(0, 60) : String(error)]
  } finally {
    await server.stop()
  }
}

async function run({ program, args, env = {} }: Peer, order: Order): Promise<UsageSampler> {
  const child = spawn(program, args(order), {
    cwd: order.folder,
    env: { ...process.env, CHATGEN_API_KEY: key, ...env },
    stdio: 'ignore',
    detached: true,
  })
  const usage = new UsageSampler(child.pid ?? 0)
  const timer = setTimeout(
    () => process.kill(-(child.pid ?? 0), 'SIGKILL'),
    order.seconds * 1000 + patienceMs,
  )
  await once(child, 'exit')
  clearTimeout(timer)
  usage.end()
  return usage
}

function row(
  { name }: Peer,
  { ttft, gap, e2e }: Figures,
  truth: Truth,
  usage: UsageSampler,
  log: readonly LoggedStream[],
): string[] {
  const within = [
    Math.min(...log.map(({ received }) => received)),
    Math.max(...log.map(({ ended }) => ended)),
  ] as const
  const streamSeconds = log.reduce((sum, { received, ended }) => sum + (ended - received) / 1e9, 0)
  const cpuMs = (1000 * usage.cpuSecondsWithin(within)) / streamSeconds
  return [
    ...[name, String(truth.requests), off(ttft, truth.ttft)],
    ...[gap === null ? '–' : off(gap.pair, truth[gap.of]), off(e2e.pair, truth[e2e.of])],
    ...[
      `${(100 * truth.late).toFixed(1)} %`,
      truth.lateness.map((ms) => ms.toFixed(1)).join(' / '),
    ],
    ...[truth.rate.toFixed(2), cpuMs.toFixed(1), usage.peakMb.toFixed(0)],
    (usage.peakMb / truth.streams).toFixed(1),
  ]
}

function off(found: Pair | null, real: Pair): string {
  if (found === null) return '–'
  const errors = found.map((ms, at) => ms - (real[at] ?? Number.NaN))
  return errors.map((ms) => `${ms < 0 ? '' : '+'}${ms.toFixed(2)}`).join(' / ')
}
