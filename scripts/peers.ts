/**
 * Compares our load engine with other load generators, against the same paced server, whose own timestamps
 * are the truth. Programs that are not on PATH are skipped with a message.
 *
 *   npm run peers -- [--rates 10,40] [--seconds 20] [--tokens 40] [--runs 3] [--only vegeta,oha] [--keep DIR]
 *   npm run peers -- --faults [--only vegeta,oha] [--keep DIR]
 *
 * `--faults` counts the broken streams that each program notices, instead of latencies. Each rate is measured
 * `--runs` times, in rotating order; the table has medians. A generator has the last CPU for itself if taskset is
 * installed.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { lowerMedianOf } from '../contract/averages.ts'
import { messageOf } from '../contract/error-message.ts'
import { columns } from '../reports/text/columns.ts'
import { withLog } from './load/logged.ts'
import type { LoggedStream } from './load/logging-server.ts'
import { optionsOf } from './options.ts'
import { bodyReaders } from './peers/body-readers.ts'
import { countNoticed } from './peers/faults.ts'
import { type Figures, type Order, type Peer, stdoutName } from './peers/peer.ts'
import { streamReaders } from './peers/stream-readers.ts'
import { type Pair, type Truth, truthOf } from './peers/truth.ts'
import { UsageSampler } from './peers/usage.ts'

const values = optionsOf(import.meta, {
  ...{ rates: '10,40', seconds: 20, tokens: 40, runs: 3, only: '', faults: false, keep: '' },
})

const pace = 'ttft=lognormal(200ms,0.4),gap=lognormal(20ms,0.4)'
const key = 'peers-key'
/** Time beyond the length of the run: Python programs start slowly. */
const patienceMs = 300_000
/** The generator has its own CPU, if there is another one for the server. */
const hasTaskset = spawnSync('taskset', ['--version']).status === 0 && availableParallelism() > 1
const pinned = hasTaskset ? ['taskset', '-c', String(availableParallelism() - 1)] : []
const root = values.keep || mkdtempSync(join(tmpdir(), 'chatgen-peers-'))

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
  if (values.faults) {
    await countNoticed(present, { key, rate: 5, seconds: 4, tokens: 20, folder: root }, runOf)
  }
  for (const rate of values.faults ? [] : values.rates.split(',').map(Number)) {
    const runs = new Map<Peer, (Measured | string)[]>(present.map((peer) => [peer, []]))
    for (let run = 0; run < values.runs; run += 1) {
      const at = run % present.length
      for (const peer of [...present.slice(at), ...present.slice(0, at)]) {
        runs.get(peer)?.push(await measured(peer, rate, run))
      }
    }
    const rows = [...runs].map(([{ name }, results]) => row(name, results))
    console.log(
      `\n${rate} requests a second for ${values.seconds} s, medians of ${values.runs} runs; errors in ms against the server's stamps, p50 / p99; load of the machine ${(loadavg()[0] ?? 0).toFixed(1)}\n`,
    )
    console.log(columns([head, ...rows]).join('\n'))
  }
} finally {
  if (values.keep === '') rmSync(root, { recursive: true, force: true })
}

/** Figures of one run; null for those that the program does not report. */
interface Measured {
  readonly requests: number
  readonly ttft: Pair | null
  readonly gap: Pair | null
  readonly e2e: Pair
  readonly latePercent: number
  readonly lateness: Pair
  readonly rate: number
  readonly cpuMs: number
  readonly mb: number
  readonly mbPerStream: number
}

/** @returns the reason if the program failed */
async function measured(peer: Peer, rate: number, run: number): Promise<Measured | string> {
  const folder = join(root, `${peer.name.replaceAll(' ', '-')}-${rate}-${run}`)
  mkdirSync(folder, { recursive: true })
  const { seconds, tokens } = values
  try {
    const { result, log } = await withLog({ pace, seed: 1, key }, async (url) => {
      const order: Order = { url, key, rate, seconds, tokens, folder }
      return { order, usage: await runOf(peer, order) }
    })
    // A program may abort requests in flight at its end.
    const whole = log.filter(({ ended }) => ended > 0)
    return errorsOf(peer.figures(result.order), truthOf(whole, rate), result.usage, whole)
  } catch (error) {
    return messageOf(error).slice(0, 60)
  }
}

async function runOf({ program, args, env = {} }: Peer, order: Order): Promise<UsageSampler> {
  const [file = program, ...rest] = [...pinned, program, ...args(order)]
  const child = spawn(file, rest, {
    cwd: order.folder,
    env: { ...process.env, CHATGEN_API_KEY: key, ...env },
    stdio: ['ignore', openSync(join(order.folder, stdoutName), 'w'), 'ignore'],
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

function errorsOf(
  { ttft, gap, e2e }: Figures,
  truth: Truth,
  usage: UsageSampler,
  log: readonly LoggedStream[],
): Measured {
  const within = [
    Math.min(...log.map(({ received }) => received)),
    Math.max(...log.map(({ ended }) => ended)),
  ] as const
  const streamSeconds = log.reduce((sum, { received, ended }) => sum + (ended - received) / 1e9, 0)
  return {
    requests: truth.requests,
    ttft: ttft === null ? null : off(ttft.pair, truth[ttft.of]),
    gap: gap === null ? null : off(gap.pair, truth[gap.of]),
    e2e: off(e2e.pair, truth[e2e.of]),
    latePercent: 100 * truth.late,
    lateness: truth.lateness,
    rate: truth.rate,
    cpuMs: (1000 * usage.cpuSecondsWithin(within)) / streamSeconds,
    mb: usage.peakMb,
    mbPerStream: usage.peakMb / truth.streams,
  }
}

function off(found: Pair, [p50, p99]: Pair): Pair {
  return [found[0] - p50, found[1] - p99]
}

function row(name: string, results: readonly (Measured | string)[]): string[] {
  const runs = results.filter((result) => typeof result !== 'string')
  const failed = results.find((result) => typeof result === 'string')
  if (runs.length === 0) return [name, failed ?? '–']
  const median = (of: (run: Measured) => number) => lowerMedianOf(runs.map(of)) ?? Number.NaN
  const pair = (of: (run: Measured) => Pair | null, sign = true) => {
    const pairs = runs.map(of).filter((each) => each !== null)
    if (pairs.length === 0) return '–'
    return [0, 1]
      .map((at) => lowerMedianOf(pairs.map((each) => each[at] ?? Number.NaN)) ?? Number.NaN)
      .map((ms) => `${sign && ms >= 0 ? '+' : ''}${ms.toFixed(2)}`)
      .join(' / ')
  }
  return [
    ...[name, String(median((run) => run.requests)), pair((run) => run.ttft)],
    ...[pair((run) => run.gap), pair((run) => run.e2e)],
    `${median((run) => run.latePercent).toFixed(1)} %`,
    pair((run) => run.lateness, false),
    median((run) => run.rate).toFixed(2),
    median((run) => run.cpuMs).toFixed(1),
    median((run) => run.mb).toFixed(0),
    median((run) => run.mbPerStream).toFixed(1),
  ]
}
