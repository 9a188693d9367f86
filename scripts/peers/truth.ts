/** Latencies of one run, from the server's own stamps. */
import { quantileOf } from '../../contract/averages.ts'
import type { LoggedStream } from '../load/logging-server.ts'

/** Milliseconds at p50 and p99. */
export type Pair = readonly [p50: number, p99: number]

export interface Truth {
  readonly requests: number
  /** Time from the request taken up to the first content written. */
  readonly ttft: Pair
  /** Time from the request taken up to the first event written. */
  readonly firstByte: Pair
  /** Time between two contents of a stream. */
  readonly gap: Pair
  /** Mean gap of a stream. */
  readonly tpot: Pair
  /** Time from the request taken up to the terminal event. */
  readonly terminal: Pair
  /** Time from the request taken up to the end of the body. */
  readonly ended: Pair
  /** Share of requests that came more than 10 ms after their place in an even schedule. */
  readonly late: number
  readonly lateness: Pair
  /** Requests a second, by the first and the last. */
  readonly rate: number
  /** Mean number of streams at a time. */
  readonly streams: number
  readonly events: number
}

const lateMs = 10

/** @param perSecond requests a second in the schedule */
export function truthOf(log: readonly LoggedStream[], perSecond: number): Truth {
  const streams = log.map(({ sent, kinds, received, ended }) => {
    const content = sent.filter((_, at) => kinds[at] === 'c').map((ns) => ns / 1e6)
    const terminal = (sent[kinds.indexOf('t')] ?? Number.NaN) / 1e6
    const first = (sent[0] ?? Number.NaN) / 1e6
    return { received: received / 1e6, ended: ended / 1e6, terminal, first, content }
  })
  const arrivals = streams.map(({ received }) => received).toSorted((a, b) => a - b)
  const lateness = latenessOf(arrivals, perSecond)
  const [first = 0, last = 0] = [arrivals[0], arrivals.at(-1)]
  const gaps = (content: readonly number[]) =>
    content.slice(1).map((at, index) => at - (content[index] ?? Number.NaN))
  const durations = streams.map(({ received, ended }) => ended - received)
  return {
    requests: streams.length,
    ttft: pairOf(streams.map(({ received, content }) => (content[0] ?? Number.NaN) - received)),
    firstByte: pairOf(streams.map(({ received, first }) => first - received)),
    gap: pairOf(streams.flatMap(({ content }) => gaps(content))),
    tpot: pairOf(
      streams.map(({ content }) => {
        return ((content.at(-1) ?? 0) - (content[0] ?? 0)) / (content.length - 1)
      }),
    ),
    terminal: pairOf(streams.map(({ received, terminal }) => terminal - received)),
    ended: pairOf(durations),
    late: lateness.filter((ms) => ms > lateMs).length / lateness.length,
    lateness: pairOf(lateness),
    rate: ((arrivals.length - 1) * 1000) / (last - first),
    streams: durations.reduce((sum, ms) => sum + ms, 0) / (last - first),
    events: log.reduce((sum, { sent }) => sum + sent.length, 0),
  }
}

/** Lateness against the even schedule of the earliest request; no program reports its start. */
function latenessOf(arrivals: readonly number[], perSecond: number): readonly number[] {
  const behind = arrivals.map((at, index) => at - (index * 1000) / perSecond)
  const begun = Math.min(...behind)
  return behind.map((at) => at - begun)
}

export function pairOf(values: readonly number[]): Pair {
  return [quantileOf(values, 0.5) ?? Number.NaN, quantileOf(values, 0.99) ?? Number.NaN]
}
