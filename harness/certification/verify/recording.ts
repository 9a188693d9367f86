import { isDeepStrictEqual } from 'node:util'
import { bodyBytes, type Exchange, restoreExchange, storedPieces } from '../../../contract/index.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { decodeEvents, isEventStream } from '../../client/index.ts'
import { exchangesName } from '../../conformance/defaults.ts'
import type { BundleContent, StoredRound } from './content.ts'

/**
 * Reads every line of a recording: one exchange in canonical form, whose events follow from its bytes. The
 * exchanges are in the order of the file; problems are of lines that `certify` does not write.
 */
export function readRecordingOf({ exchanges: stored }: Pick<StoredRound, 'exchanges'>) {
  const exchanges: Exchange[] = []
  const problems: string[] = []
  const ids = new Set<string>()
  const lines = stored.toString('utf8').split('\n')
  if (lines.pop() !== '') problems.push(`the last line of ${exchangesName} has no line end`)
  for (const [at, line] of lines.entries()) {
    const exchange = restored(line)
    if (exchange === null) {
      problems.push(`line ${at + 1} of ${exchangesName} is not an exchange as chatgen stores it`)
      continue
    }
    const { id } = exchange
    if (ids.has(id)) problems.push(`${id} is recorded twice`)
    if (!hasOwnEvents(exchange)) problems.push(`${id} has events that its bytes do not contain`)
    ids.add(id)
    exchanges.push(exchange)
  }
  return { exchanges, problems: problems.slice(0, 5) }
}

function restored(line: string): Exchange | null {
  try {
    const exchange = restoreExchange(JSON.parse(line))
    return [...storedPieces(exchange)].join('') === `${line}\n` ? exchange : null
  } catch {
    return null
  }
}

/** Redaction marks: the replaced text is in neither the bytes nor the events. */
const mark = /\[(?:(?:api|other) key|native token|header |base url |proxy )/

function hasOwnEvents(exchange: Exchange): boolean {
  const { response, events } = exchange
  if (response === null) return events.length === 0
  if (events.length === 0 && !isEventStream(response.headers)) return true
  return mark.test(textOf(exchange)) || isDeepStrictEqual(decodeEvents(response.chunks), events)
}

/** Tolerance between clocks that are read at different moments of a request, in milliseconds. */
const toleranceMs = 2_000

/** Rounds run one after the other. */
export function orderProblems(rounds: readonly StoredRound[]): string[] {
  return rounds.flatMap(({ round, report }, at) => {
    const before = rounds[at - 1]?.report
    if (before === undefined) return []
    const end = Date.parse(before.startedAt) + before.durationMs
    const early = end - Date.parse(report.startedAt)
    return early > toleranceMs ? [`round ${round} began before round ${round - 1} had ended`] : []
  })
}

/** Empty if at least this time lies between the first round and the last. */
export function spanProblem({ rounds }: BundleContent, overMs: number | undefined): string[] {
  if (overMs === undefined) return []
  const starts = rounds.map(({ report }) => Date.parse(report.startedAt))
  const span = (starts.at(-1) ?? 0) - (starts[0] ?? 0)
  if (span + toleranceMs >= overMs) return []
  return [`the last round began ${span} ms after the first, not ${overMs} ms`]
}

/**
 * Checks that the exchanges lie within their round, in an order that a network can produce,
 * individually and together.
 */
export function timeProblems(report: ConformanceReport, exchanges: readonly Exchange[]): string[] {
  const begin = Date.parse(report.startedAt) - toleranceMs
  const end = begin + report.durationMs + 2 * toleranceMs
  const problems = exchanges.flatMap((exchange) => {
    const startedAt = Date.parse(exchange.startedAt)
    const isWithin = startedAt >= begin && startedAt + exchange.ending.atMs <= end
    return [
      ...(isWithin ? [] : [`${exchange.id} lies outside the time of its round`]),
      ...(isOrdered(exchange) ? [] : [`${exchange.id} has times that run backwards`]),
    ]
  })
  return [...problems, ...causeProblems(exchanges)].slice(0, 5)
}

function isOrdered({ response, events, ending }: Exchange): boolean {
  const { headersAtMs = 0, chunks = [] } = response ?? {}
  const times = [...chunks, ending].map(({ atMs }) => atMs)
  return (
    isAscending([0, headersAtMs, ...times]) &&
    isAscending([...events, ending].map(({ atMs }) => atMs))
  )
}

function isAscending(times: readonly number[]): boolean {
  return times.every((time, at) => at === 0 || time >= (times[at - 1] ?? 0))
}

/** An id issued by the service in the path of a request: a UUID or another long token. */
const givenId = /[A-Za-z0-9_-]{16,}/g

/** Requests of a scenario that use an id before the response with it arrived. */
function causeProblems(exchanges: readonly Exchange[]): string[] {
  const scenarios = Map.groupBy(exchanges, ({ labels }) => labels.scenario)
  return [...scenarios.values()].flatMap((own) => {
    const inOrder = own.toSorted(
      ({ labels: a }, { labels: b }) => a.ordinal - b.ordinal || a.attempt - b.attempt,
    )
    const texts = inOrder.map(textOf)
    return inOrder.flatMap((exchange, at) => {
      const ids = new URL(exchange.request.url).pathname.match(givenId) ?? []
      const giver = inOrder.find(
        (_, before) => before < at && ids.some((id) => texts[before]?.includes(id)),
      )
      if (giver?.response == null) return []
      const given = Date.parse(giver.startedAt) + giver.response.headersAtMs
      return Date.parse(exchange.startedAt) + toleranceMs >= given
        ? []
        : [`${exchange.id} uses an id of the answer ${giver.id}, which came later`]
    })
  })
}

function textOf(exchange: Exchange): string {
  return Buffer.from(bodyBytes(exchange)).toString()
}
