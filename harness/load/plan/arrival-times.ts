import { asObject, parseJson } from '../../../contract/index.ts'
import type { ArrivalRow } from '../../../reports/load/model/report.ts'
import { type Draw, drawsOf, hashText } from './random.ts'

/** Arrival process of an open loop. Rates are per second. */
export type OpenArrival = Exclude<ArrivalRow, { kind: 'closed' | 'trace' }>

/**
 * Planned moments in ascending order, below `durationNs`. A constant process is spaced evenly in the integral
 * of the rate, a Poisson process has exponential steps in it (time change of a non-homogeneous process,
 * Çinlar 1975), so one rule serves constant rates, ramps and steps. Ramps and staircases stay at their last
 * rate.
 */
export function* arrivalTimes(
  arrival: OpenArrival,
  durationNs: number,
  seed: string,
): Generator<number, void> {
  const process = 'process' in arrival ? arrival.process : arrival.kind
  const draw = drawsOf(hashText(`${seed}/arrivals`), 0)
  // Evenly spaced arrivals start half a step in, so that no rate begins with a burst.
  let mass = process === 'constant' ? 0.5 : exponential(draw)
  let before = 0
  for (const { start, from, to, lasts, held } of boundedPieces(arrival, durationNs)) {
    while (mass - before < held) {
      const at = start + timeOf(mass - before, from, to, lasts)
      if (at < durationNs) yield Math.floor(at)
      mass += process === 'constant' ? 1 : exponential(draw)
    }
    before += held
  }
}

/** Mean number of arrivals below `durationNs`. */
export function expectedArrivals(arrival: OpenArrival, durationNs: number): number {
  return boundedPieces(arrival, durationNs).reduce((sum, { held }) => sum + held, 0)
}

/** Pieces that begin before the end, up to it, with the mean number of arrivals that each holds. */
function boundedPieces(arrival: OpenArrival, durationNs: number) {
  let start = 0
  return piecesOf(arrival).flatMap(({ from, to: last, lastsNs }) => {
    const lasts = Math.min(lastsNs, durationNs - start)
    if (lasts <= 0) return []
    const to = from + (lastsNs === Number.POSITIVE_INFINITY ? 0 : ((last - from) * lasts) / lastsNs)
    const piece = { start, from, to, lasts, held: (((from + to) / 2) * lasts) / 1e9 }
    start += lasts
    return [piece]
  })
}

function piecesOf(arrival: OpenArrival): ReturnType<typeof steady>[] {
  if (arrival.kind === 'ramp') {
    const { from, to, overMs } = arrival
    return [{ from, to, lastsNs: overMs * 1e6 }, steady(to)]
  }
  if (arrival.kind === 'steps') {
    const { steps } = arrival
    const pieces = steps.map(({ perSecond, forMs }) => steady(perSecond, forMs * 1e6))
    return [...pieces, steady(steps.at(-1)?.perSecond ?? 0)]
  }
  return [steady(arrival.perSecond)]
}

function steady(rate: number, lastsNs = Number.POSITIVE_INFINITY) {
  return { from: rate, to: rate, lastsNs }
}

/** Time from the start of a piece to this number of arrivals; its rate goes from `from` to `to`. */
function timeOf(count: number, from: number, to: number, lastsNs: number): number {
  const slope = ((to - from) / lastsNs) * 1e9
  if (Math.abs(slope) < 1e-9) return (count / from) * 1e9
  const root = Math.sqrt(Math.max(0, from * from + 2 * slope * count))
  // The stable form of the quadratic formula: `from` may be 0, and `slope` small.
  return ((2 * count) / (from + root)) * 1e9
}

function exponential(draw: Draw): number {
  return -Math.log(1 - draw())
}

/** One line of a recorded workload. */
export type TraceLine = Readonly<ReturnType<typeof readLine>>

/** A line that is not a request; `line` counts from 1. */
export class TraceSyntaxError extends Error {
  override readonly name = 'TraceSyntaxError'
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/**
 * Reads one JSON object a line, in any order of time:
 *
 *     {"at": 1.25, "transaction": "v3-stream", "prompt": 80, "answer": 200, "session": "a"}
 *
 * `at` is seconds, `prompt` words, `answer` tokens; only the time is required. The names of published traces
 * are accepted, too: `timestamp` in milliseconds, `input_length` and `output_length`
 * (Mooncake, Qin et al. 2024).
 *
 * @throws TraceSyntaxError
 */
export function readTrace(text: string): TraceLine[] {
  const sessions = new Map<string, number>()
  const lines = text.split(/\r?\n/).flatMap((line, at) => {
    return line.trim() === '' ? [] : [readLine(line, at + 1, sessions)]
  })
  if (lines.length === 0) throw new TraceSyntaxError(1, 'it contains no requests')
  const first = lines.reduce(
    (minimum, { atNs }) => Math.min(minimum, atNs),
    Number.POSITIVE_INFINITY,
  )
  return lines.map((line) => ({ ...line, atNs: line.atNs - first })).sort((a, b) => a.atNs - b.atNs)
}

function readLine(text: string, line: number, sessions: Map<string, number>) {
  const value = asObject(parseJson(text))
  if (value === undefined) throw new TraceSyntaxError(line, 'is not a JSON object')
  const { at, timestamp, transaction, session } = value
  const seconds = at ?? (typeof timestamp === 'number' ? timestamp / 1000 : undefined)
  if (typeof seconds !== 'number' || !(seconds >= 0)) {
    throw new TraceSyntaxError(line, 'at: must be a number of seconds')
  }
  if (transaction !== undefined && typeof transaction !== 'string') {
    throw new TraceSyntaxError(line, 'transaction: must be the name of an entry of the mix')
  }
  return {
    /** Time of the line; once all are read, nanoseconds after the first one. */
    atNs: Math.round(secondsOf(seconds, line) * 1e9),
    /** Entry of the mix; undefined draws one. */
    transaction,
    promptWords: length(value, line, 'prompt', 'input_length'),
    answerTokens: length(value, line, 'answer', 'output_length'),
    session: session === undefined ? undefined : numberOf(JSON.stringify(session), sessions),
  }
}

/** Seconds from here on are past the year 5000: milliseconds, which would be taken for a thousandth of the rate. */
const farFuture = 1e11

/** @throws TraceSyntaxError if the seconds of a line are milliseconds since 1970 */
export function secondsOf(seconds: number, line: number): number {
  if (seconds < farFuture) return seconds
  throw new TraceSyntaxError(line, 'at: is in milliseconds, and must be in seconds')
}

function length(
  value: Readonly<Record<string, unknown>>,
  line: number,
  ...names: readonly [string, string]
): number | undefined {
  const name = names.find((name) => value[name] !== undefined)
  if (name === undefined) return undefined
  const found = value[name]
  if (typeof found === 'number' && Number.isInteger(found) && found >= 1) return found
  throw new TraceSyntaxError(line, `${name}: must be a whole number from 1 up`)
}

function numberOf(session: string, sessions: Map<string, number>): number {
  const index = sessions.get(session) ?? sessions.size
  sessions.set(session, index)
  return index
}
