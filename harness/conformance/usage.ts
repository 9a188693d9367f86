import { type Exchange, operationOf, operations, succeeded } from '../../contract/index.ts'
import type { ConformanceReport, Traffic } from '../../contract/report/conformance.ts'

/** Cost of a run to its target. */
export type Cost = Readonly<ConformanceReport['cost']>

export const noCost: Cost = { requests: 0, generations: 0, chats: 0, uploads: 0 }

export const addCosts = (a: Cost, b: Cost): Cost => sum(a, b)

/** The cost of results, and of what was sent before them. */
export function totalCost(results: readonly { readonly cost: Cost }[], before = noCost): Cost {
  return results.map(({ cost }) => cost).reduce(addCosts, before)
}

/** Maximum cost of exploring with this number of operations, without shrinking a violation. */
export function costOfExploring(operations: number): Cost {
  return {
    // The reads after an operation and its share of the sweep included.
    requests: operations * 4,
    generations: Math.floor(operations * 0.24),
    chats: Math.ceil(operations / 6),
    uploads: 0,
  }
}

/** Both with each of their numbers added up. */
function sum<Name extends string>(
  a: Readonly<Record<Name, number>>,
  b: Readonly<Record<Name, number>>,
): Record<Name, number> {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])] as Name[]
  const sums = names.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)])
  return Object.fromEntries(sums)
}

export type { Traffic }

export const noTraffic: Traffic = {
  answers: 0,
  statuses: {},
  unanswered: 0,
  cut: 0,
  timeouts: 0,
  retries: 0,
}

export function addTraffic(a: Traffic, b: Traffic): Traffic {
  const { statuses, ...before } = a
  const { statuses: others, ...more } = b
  return { ...a, ...sum(before, more), statuses: sum(statuses, others) }
}

/** The cost of a run after one more exchange. Counts successful requests only, and no repeats as generations. */
export function addExchangeCost(before: Cost, exchange: Exchange): Cost {
  const operation = operationOf(exchange)
  const done = operation !== undefined && succeeded(exchange)
  const isRepeat = exchange.labels.repeatOf !== undefined
  return addCosts(before, {
    requests: 1,
    generations: Number(done && !isRepeat && 'generates' in operations[operation]),
    chats: Number(done && operation === 'v3.createChat'),
    uploads: Number(done && operation === 'v3.upload'),
  })
}

/** Adds one exchange to the transport results of a run. */
export function addExchangeTraffic(
  before: Traffic,
  { ending, response, labels }: Exchange,
): Traffic {
  const status = response?.status
  const isCounted = status === 429 || (status !== undefined && status >= 500)
  return addTraffic(before, {
    answers: Number(response !== null),
    statuses: isCounted ? { [status]: 1 } : {},
    unanswered: Number(response === null && ending.kind === 'unreachable'),
    cut: Number(ending.kind === 'cut'),
    timeouts: Number(ending.kind === 'timeout'),
    retries: Number(labels.attempt > 0),
  })
}
