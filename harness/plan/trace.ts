import { asObject, operationIds, operations, parseJson } from '../../contract/index.ts'
import { requestLine } from '../../reports/load/model/requests.ts'
import { readTrace, secondsOf, TraceSyntaxError } from '../load/plan/arrival-times.ts'
import type { RatePiece, RequestLength } from './simulation/requests.ts'

/** Demand over time. */
export interface DemandTrace {
  /** Requests per second from each moment on; ascending, from 0. */
  readonly pieces: readonly RatePiece[]
  readonly durationMs: number
  /** Time of day at which it begins, in milliseconds after midnight; null if unknown. */
  readonly startsAtMs: number | null
  readonly requests: number
  /** Lengths in tokens, if each request has them. */
  readonly lengths: readonly RequestLength[] | null
}

const secondMs = 1000
export const hourMs = 3_600_000
const dayMs = 24 * hourMs

/**
 * Reads a trace of single requests or of rates. CSV needs a heading: `at` (seconds, `14:30`, or a date
 * and time of ISO 8601) and either `rate` (requests per second until the next line) or `requests` (their
 * number until the next line), or neither for one request a line, with `prompt` and `answer` in tokens if
 * there are. Lines of JSON are those of `chatgen load --replay`, or the requests that a load run recorded.
 * @throws TraceSyntaxError with the line
 */
export function readDemandTrace(text: string): DemandTrace {
  if (!/^\s*\{/.test(text)) return fromCsv(text)
  const [first = ''] = text.trimStart().split('\n', 1)
  return asObject(parseJson(first))?.['planned'] === undefined
    ? fromJsonLines(text)
    : fromRequests(text)
}

const recorded = requestLine.pick({
  ...{ operation: true, planned: true, promptTokens: true, tokens: true },
})
const generating: readonly string[] = operationIds.filter((id) => 'generates' in operations[id])

/** Requests of a load run that generate an answer, in the order in which they ended. */
function fromRequests(text: string): DemandTrace {
  const requests = text.split(/\r?\n/).flatMap((line, at) => {
    if (line.trim() === '') return []
    const { data, success } = recorded.safeParse(parseJson(line))
    if (!success) throw new TraceSyntaxError(at + 1, 'is not a request of a load run')
    return generating.includes(data.operation) ? [data] : []
  })
  if (requests.length === 0) throw new TraceSyntaxError(1, 'no request generates an answer')
  const first = requests.reduce((min, { planned }) => Math.min(min, planned), Number.MAX_VALUE)
  // Requests that failed have no usage.
  const lengths = requests.flatMap(({ promptTokens, tokens }) =>
    promptTokens === null || tokens === null ? [] : [{ promptTokens, outputTokens: tokens }],
  )
  return ofRequests(
    requests.map(({ planned }) => planned - first),
    lengths,
  )
}

function fromJsonLines(text: string): DemandTrace {
  const lines = readTrace(text)
  const lengths = lines.flatMap(({ promptWords, answerTokens }) =>
    promptWords === undefined || answerTokens === undefined
      ? []
      : [{ promptTokens: promptWords, outputTokens: answerTokens }],
  )
  return ofRequests(
    lines.map(({ atNs }) => atNs / 1e6),
    lengths.length === lines.length ? lengths : [],
  )
}

const columns = ['at', 'rate', 'requests', 'prompt', 'answer'] as const
type Column = (typeof columns)[number]

function fromCsv(text: string): DemandTrace {
  const lines = text.split(/\r?\n/)
  const heading = (lines[0] ?? '').split(',').map((name) => name.trim())
  if (!heading.includes('at')) {
    throw new TraceSyntaxError(1, `the header has no column "at"; known are ${columns.join(', ')}`)
  }
  const has = (column: Column) => heading.includes(column)
  const [isOfRates, isOfCounts] = [has('rate'), !has('rate') && has('requests')]
  const atMs: number[] = []
  const values: number[] = []
  const lengths: RequestLength[] = []
  let startsAtMs: number | null = null
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line.trim() === '') continue
    const cells = line.split(',')
    const cellOf = (name: Column) => (cells[heading.indexOf(name)] ?? '').trim()
    const number = (name: Column, min: number) => {
      const cell = cellOf(name)
      const value = Number(cell)
      if (cell !== '' && value >= min && Number.isFinite(value)) return value
      throw new TraceSyntaxError(index + 1, `${name}: must be a number of at least ${min}`)
    }
    const time = timeOf(cellOf('at'), index + 1)
    if (atMs.length === 0) startsAtMs = time.ofDayMs
    const last = atMs.at(-1)
    // A time of day that decreases has passed midnight.
    const days = time.isClock && last !== undefined ? Math.ceil((last - time.ms) / dayMs) : 0
    const ms = time.ms + dayMs * Math.max(0, days)
    if (last !== undefined && ms < last) {
      throw new TraceSyntaxError(index + 1, 'at: is before the line above')
    }
    atMs.push(ms)
    if (isOfRates || isOfCounts) values.push(number(isOfRates ? 'rate' : 'requests', 0))
    else if (has('prompt') && has('answer')) {
      lengths.push({ promptTokens: number('prompt', 0), outputTokens: number('answer', 1) })
    }
  }
  const first = atMs[0]
  if (first === undefined) throw new TraceSyntaxError(2, 'there is no row after the header row')
  const times = atMs.map((ms) => ms - first)
  const isOfSums = isOfRates || isOfCounts
  return {
    ...(isOfSums ? ofRates(times, values, isOfRates) : ofRequests(times, lengths)),
    startsAtMs,
  }
}

/** `isClock`: a time of day without a date. */
function timeOf(cell: string, line: number) {
  if (/^\d+(\.\d+)?$/.test(cell)) {
    return { ms: secondsOf(Number(cell), line) * secondMs, ofDayMs: null, isClock: false }
  }
  const [, hours, minutes, seconds = '0'] = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(cell) ?? []
  if (hours !== undefined && Number(hours) < 24 && Number(minutes) < 60) {
    const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * secondMs
    return { ms, ofDayMs: ms, isClock: true }
  }
  const [, ofDay] = /^\d{4}-\d{2}-\d{2}[T ](\d{2}:\d{2})/.exec(cell) ?? []
  // Without a zone it is UTC: the hours of a trace do not depend on the machine that plans.
  const ms = Date.parse(/(Z|[+-]\d{2}:?\d{2})$/i.test(cell) ? cell : `${cell}Z`)
  if (ofDay !== undefined && !Number.isNaN(ms)) {
    const [hour = '0', minute = '0'] = ofDay.split(':')
    return { ms, ofDayMs: (Number(hour) * 60 + Number(minute)) * 60_000, isClock: false }
  }
  throw new TraceSyntaxError(line, 'at: must be seconds, a time of day or a date and time')
}

/** Rates by second. */
function ofRequests(times: readonly number[], lengths: readonly RequestLength[]): DemandTrace {
  const last = times.reduce((max, ms) => Math.max(max, ms), 0)
  checkSpan(last)
  const counts = new Float64Array(Math.floor(last / secondMs) + 1)
  for (const ms of times) {
    const second = Math.floor(ms / secondMs)
    counts[second] = (counts[second] ?? 0) + 1
  }
  const pieces = [...counts].map((perSecond, second) => ({ fromMs: second * secondMs, perSecond }))
  return {
    ...{ pieces, durationMs: counts.length * secondMs, startsAtMs: null, requests: times.length },
    lengths: lengths.length > 0 ? lengths : null,
  }
}

/** The last line lasts as long as the one before. */
function ofRates(
  times: readonly number[],
  values: readonly number[],
  isRate: boolean,
): DemandTrace {
  const lastMs = times.at(-1) ?? 0
  checkSpan(lastMs)
  const step = times.length > 1 ? lastMs - (times.at(-2) ?? 0) : hourMs
  const durationMs = lastMs + Math.max(secondMs, step)
  const pieces = times.map((fromMs, at) => {
    const forMs = Math.max(1, (times[at + 1] ?? durationMs) - fromMs)
    const value = values[at] ?? 0
    return { fromMs, perSecond: isRate ? value : (value * secondMs) / forMs }
  })
  const requests = requestsWithin({ pieces, durationMs }, 0, durationMs)
  return { pieces, durationMs, startsAtMs: null, requests, lengths: null }
}

const maxDays = 100

/** Milliseconds that are taken for seconds would be more seconds than fit in memory. */
function checkSpan(lastMs: number): void {
  if (lastMs < maxDays * dayMs) return
  throw new TraceSyntaxError(1, `it spans more than ${maxDays} days: "at" is in seconds`)
}

type Rates = Pick<DemandTrace, 'pieces' | 'durationMs'>

export function requestsWithin(
  { pieces, durationMs }: Rates,
  fromMs: number,
  toMs: number,
): number {
  return pieces.reduce((sum, { fromMs: start, perSecond }, at) => {
    const end = pieces[at + 1]?.fromMs ?? durationMs
    const overlap = Math.min(toMs, end) - Math.max(fromMs, start)
    return overlap > 0 ? sum + (perSecond * overlap) / secondMs : sum
  }, 0)
}

/** The part of a length with the most requests; the whole of a shorter trace. */
export function busiest(trace: Rates, lengthMs: number): { fromMs: number; toMs: number } {
  const { pieces, durationMs } = trace
  if (durationMs <= lengthMs) return { fromMs: 0, toMs: durationMs }
  // Requests before each boundary; between two, they grow evenly.
  const bounds = [...pieces.map(({ fromMs }) => fromMs), durationMs]
  const before = [0]
  for (const [at, { perSecond }] of pieces.entries()) {
    const forMs = (bounds[at + 1] ?? durationMs) - (bounds[at] ?? 0)
    before.push((before[at] ?? 0) + (perSecond * forMs) / secondMs)
  }
  /** Requests before a moment; moments ascend. */
  const reader = () => {
    let at = 0
    return (ms: number) => {
      while (at < pieces.length - 1 && (bounds[at + 1] ?? 0) <= ms) at += 1
      const perSecond = pieces[at]?.perSecond ?? 0
      return (before[at] ?? 0) + (perSecond * (ms - (bounds[at] ?? 0))) / secondMs
    }
  }
  const [beforeStart, beforeEnd] = [reader(), reader()]
  // The busiest part begins or ends where the rate changes.
  const starts = [...bounds, ...bounds.map((end) => end - lengthMs)]
  let best = { fromMs: 0, requests: -1 }
  for (const fromMs of starts.toSorted((a, b) => a - b)) {
    if (fromMs < 0 || fromMs + lengthMs > durationMs) continue
    const requests = beforeEnd(fromMs + lengthMs) - beforeStart(fromMs)
    if (requests > best.requests + 1e-9) best = { fromMs, requests }
  }
  return { fromMs: best.fromMs, toMs: best.fromMs + lengthMs }
}

/** Pieces of a part of a trace, from 0. */
export function part({ pieces }: Rates, fromMs: number, toMs: number): readonly RatePiece[] {
  const inside = pieces.filter(({ fromMs: start }) => start > fromMs && start < toMs)
  const running = pieces.findLast(({ fromMs: start }) => start <= fromMs)
  return [
    { fromMs: 0, perSecond: running?.perSecond ?? 0 },
    ...inside.map((piece) => ({ ...piece, fromMs: piece.fromMs - fromMs })),
  ]
}

/** `14:05` of the day, or the time since the beginning. */
export function timeLabel({ startsAtMs }: Pick<DemandTrace, 'startsAtMs'>, ms: number): string {
  const minutes = Math.floor(((startsAtMs ?? 0) + ms) / 60_000)
  const hours = Math.floor(minutes / 60)
  const clock = `${two(startsAtMs === null ? hours : hours % 24)}:${two(minutes % 60)}`
  return startsAtMs === null ? `+${clock}` : clock
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
