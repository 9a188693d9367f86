import { type Exchange, operationOf, operations, succeeded } from '../../contract/index.ts'
import type { Traffic } from '../../contract/report/conformance.ts'

/** Cost of a run to its target. */
export interface Cost {
  readonly requests: number
  readonly generations: number
  readonly chats: number
  readonly uploads: number
}

export const noCost: Cost = { requests: 0, generations: 0, chats: 0, uploads: 0 }

export function addCosts(a: Cost, b: Cost): Cost {
  return {
    requests: a.requests + b.requests,
    generations: a.generations + b.generations,
    chats: a.chats + b.chats,
    uploads: a.uploads + b.uploads,
  }
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
  const statuses = { ...a.statuses }
  for (const [status, times] of Object.entries(b.statuses)) {
    statuses[status] = (statuses[status] ?? 0) + times
  }
  return {
    answers: a.answers + b.answers,
    statuses,
    unanswered: a.unanswered + b.unanswered,
    cut: a.cut + b.cut,
    timeouts: a.timeouts + b.timeouts,
    retries: a.retries + b.retries,
  }
}

/** The cost of a run after one more exchange. Counts successful requests only, and no repeats as generations. */
export function addExchangeCost(before: Cost, exchange: Exchange): Cost {
  const operation = operationOf(exchange)
  const done = operation !== undefined && succeeded(exchange)
  const isRepeat = exchange.labels.repeatOf !== undefined
  return {
    requests: before.requests + 1,
    generations:
      before.generations + Number(done && !isRepeat && 'generates' in operations[operation]),
    chats: before.chats + Number(done && operation === 'v3.createChat'),
    uploads: before.uploads + Number(done && operation === 'v3.upload'),
  }
}

/** Adds one exchange to the transport results of a run. */
export function addExchangeTraffic(
  before: Traffic,
  { ending, response, labels }: Exchange,
): Traffic {
  const status = response?.status
  const isCounted = status === 429 || (status !== undefined && status >= 500)
  return {
    answers: before.answers + Number(response !== null),
    statuses: isCounted
      ? { ...before.statuses, [status]: (before.statuses[status] ?? 0) + 1 }
      : before.statuses,
    unanswered: before.unanswered + Number(response === null && ending.kind === 'unreachable'),
    cut: before.cut + Number(ending.kind === 'cut'),
    timeouts: before.timeouts + Number(ending.kind === 'timeout'),
    retries: before.retries + Number(labels.attempt > 0),
  }
}
