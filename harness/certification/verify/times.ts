import type { Exchange } from '../../../contract/index.ts'
import { restoreExchange } from '../../../contract/index.ts'
import type { StoredRound } from './content.ts'

/** Clocks are read at different moments of a request: what may lie between, in milliseconds. */
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

/** Exchanges lie within their round, and each is in an order that a network can produce. */
export function timeProblems({ report, exchanges }: StoredRound): string[] {
  const begin = Date.parse(report.startedAt) - toleranceMs
  const end = begin + report.durationMs + 2 * toleranceMs
  const problems: string[] = []
  const ids = new Set<string>()
  for (const line of exchanges.toString('utf8').split('\n')) {
    if (line === '') continue
    const exchange = restoreExchange(JSON.parse(line))
    const startedAt = Date.parse(exchange.startedAt)
    if (!(startedAt >= begin && startedAt + exchange.ending.atMs <= end)) {
      problems.push(`${exchange.id} lies outside the time of its round`)
    }
    if (!isOrdered(exchange)) problems.push(`${exchange.id} has times that run backwards`)
    if (ids.has(exchange.id)) problems.push(`${exchange.id} is recorded twice`)
    ids.add(exchange.id)
  }
  return problems.slice(0, 5)
}

function isOrdered({ response, events, ending }: Exchange): boolean {
  const times = [
    0,
    ...(response === null ? [] : [response.headersAtMs]),
    ...(response?.chunks ?? []).map(({ atMs }) => atMs),
    ending.atMs,
  ]
  return isAscending(times) && isAscending([...events.map(({ atMs }) => atMs), ending.atMs])
}

function isAscending(times: readonly number[]): boolean {
  return times.every((time, at) => at === 0 || time >= (times[at - 1] ?? 0))
}
