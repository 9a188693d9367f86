/**
 * The paced server in a process of its own, written in Go, so that it shares nothing with the programs that it times; and
 * the latencies of a run from its timestamps.
 */

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { quantileOf } from '../../contract/averages.ts'
import { childServer } from '../../harness/load/child-server.ts'
import { linesIn } from '../foreign/programs.ts'

/** Milliseconds at p50 and p99. */
export type Pair = readonly [p50: number, p99: number]

/** One stream in the log of paced-server.go; times are nanoseconds of the monotonic clock. */
interface LoggedStream {
  readonly accepted: number
  readonly received: number
  readonly sent: readonly number[]
  /** Kind of each event: `c`ontent, `t`erminal or `o`ther. */
  readonly kinds: string
  /** 0 for a stream that the client aborted. */
  readonly ended: number
}

/** The first event, which is empty; the first text; the terminal event; the end of the body. */
export type Moment = 'firstEvent' | 'firstToken' | 'terminal' | 'ended'

/**
 * Latencies count from the request that was read; from the connection that was opened for it, if it is the first on its
 * connection; or from the time at which an evenly spaced schedule has it, which no delay of the generator moves.
 */
export type Origin = 'request' | 'connection' | 'schedule'

export type Truth = ReturnType<typeof truthOf>

/** @param perSecond requests per second in the schedule */
export function truthOf(log: readonly LoggedStream[], perSecond: number) {
  const sorted = log.toSorted((a, b) => a.received - b.received)
  const behind = sorted.map(({ received }, at) => received - (at * 1e9) / perSecond)
  const start = Math.min(...behind)
  const lateness = behind.map((at) => at - start)
  // A program may abort requests in flight at its end.
  const streams = sorted
    .map((stream, at) => ({
      ...{ request: stream.received, connection: stream.accepted },
      schedule: stream.received - (lateness[at] ?? 0),
      ...momentsOf(stream),
    }))
    .filter(({ ended }) => ended > 0)
  const window = [start, Math.max(...streams.map(({ ended }) => ended))] as const
  const events = log.reduce((sum, { sent }) => sum + sent.length, 0)
  const sending = (sorted.at(-1)?.received ?? start) - (sorted[0]?.received ?? start)
  return {
    requests: streams.length,
    latency: (moment: Moment, origin: Origin) =>
      pairOf(streams.map((times) => times[moment] - times[origin])),
    /** Time between two texts of a stream, and its mean over each stream. */
    gap: pairOf(streams.flatMap(({ gaps }) => gaps)),
    tpot: pairOf(streams.map(({ gaps }) => gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length)),
    /** Delay behind the schedule, which the earliest request sets. */
    lateness: pairOf(lateness),
    /** Requests per second that were sent. */
    rate: ((sorted.length - 1) * 1e9) / sending,
    streamSeconds: streams.reduce((sum, { ended, request }) => sum + (ended - request) / 1e9, 0),
    eventsPerSecond: (events * 1e9) / (window[1] - window[0]),
    /** Nanoseconds of the monotonic clock. */
    window,
  }
}

/** Moments of a stream, and the gaps between its texts. */
export function momentsOf({ sent, kinds, ended }: Pick<LoggedStream, 'sent' | 'kinds' | 'ended'>) {
  const texts = sent.filter((_, at) => kinds[at] === 'c')
  return {
    firstEvent: sent[0] ?? Number.NaN,
    firstToken: texts[0] ?? Number.NaN,
    terminal: sent[kinds.indexOf('t')] ?? Number.NaN,
    ended,
    gaps: texts.slice(1).map((at, index) => at - (texts[index] ?? Number.NaN)),
  }
}

function pairOf(nanoseconds: readonly number[]): Pair {
  const at = (q: number) => (quantileOf(nanoseconds, q) ?? Number.NaN) / 1e6
  return [at(0.5), at(0.99)]
}

/** Bounds of uniform times, milliseconds: quantiles of few requests are then close to each other. */
export const pace = { ttft: [150, 250], gap: [10, 30] } as const

export type PacedServer = NonNullable<ReturnType<typeof buildServer>>

/** Compiles the server. @returns its program, and the names of what it can do wrong; null without Go */
export function buildServer(folder: string) {
  const program = join(folder, 'paced-server')
  const source = fileURLToPath(new URL('paced-server.go', import.meta.url))
  const env = { ...process.env, GOTOOLCHAIN: 'local' }
  const build = spawnSync('go', ['build', '-o', program, source], { env, encoding: 'utf8' })
  if (build.error !== undefined) return null
  if (build.status !== 0) throw new Error(build.stderr)
  const { stdout } = spawnSync(program, { encoding: 'utf8' })
  return { program, faults: stdout.trim().split('\n') }
}

export interface Conduct {
  /** Texts of each answer. */
  readonly tokens: number
  readonly fault: string
  /** Nothing is written between these two times after the first request, milliseconds. */
  readonly freeze: readonly [from: number, to: number]
}

/** Runs the server on the first CPU for the time of `use`; returns its log. */
export async function withServer(
  { program }: PacedServer,
  conduct: Conduct & { readonly folder: string; readonly pinned: readonly string[] },
  use: (url: string) => Promise<void>,
): Promise<readonly LoggedStream[]> {
  const log = join(conduct.folder, 'server.ndjson')
  const { tokens, fault, freeze, pinned } = conduct
  const [file = program, ...args] = [...pinned, program]
  const options = JSON.stringify({ ...pace, tokens, fault, freeze, log })
  const server = await childServer([...args, options], { program: file })
  await use(server.url).finally(() => server.stop())
  return linesIn<LoggedStream>(log)
}
