import {
  bodyText,
  type Exchange,
  isDeeperThan,
  mediaType,
  operationAt,
  operations,
  requestPath,
} from '../../../../contract/index.ts'
import type { TargetProfile } from '../../profile/index.ts'
import { historyRows } from '../../scenario/read.ts'

type Limits = Pick<TargetProfile['limits'], 'jsonDepth' | 'historyRows'>

/**
 * Describes output beyond a limit of the profile, as the end of a sentence about the request; the
 * answer is then no basis for a scenario. Undefined where it is within all of them.
 */
export function findExcess(exchange: Exchange, limits: Limits): string | undefined {
  const { ending } = exchange
  if (ending.kind === 'aborted' && ending.limit !== undefined) return ending.limit
  if (isDeep(exchange, limits.jsonDepth)) {
    return `sent JSON that is nested more than ${limits.jsonDepth} levels deep (limits.jsonDepth)`
  }
  const { request } = exchange
  if (operationAt(request.method, requestPath(exchange)) !== 'v3.history') return undefined
  const rows = historyRows(exchange).length
  return rows > limits.historyRows
    ? `sent a page of ${rows} rows, more than ${limits.historyRows} (limits.historyRows)`
    : undefined
}

/** `GET /api/v3/chat`, for the beginning of the sentence. */
export function describeRequest(exchange: Exchange): string {
  return `${exchange.request.method} ${requestPath(exchange)}`
}

/** The same answer without what it said, for who reads what comes and looks at no limits. */
export function withoutBody(exchange: Exchange, excess: string): Exchange {
  const { response, ending } = exchange
  return {
    ...exchange,
    response: response && { ...response, chunks: [] },
    events: [],
    ending: { kind: 'aborted', atMs: ending.atMs, limit: excess },
  }
}

function isDeep(exchange: Exchange, maxDepth: number): boolean {
  if (mediaType(exchange) !== 'text/event-stream') return isDeeperThan(bodyText(exchange), maxDepth)
  return exchange.events.some(({ data }) => isDeeperThan(data, maxDepth))
}

export interface LimitBreaches {
  /** `why` is the end of a sentence about the request. */
  add(exchange: Exchange, why: string): void
  /** Reason why a request is not sent any more; undefined where it may be. */
  refusalReason(exchange: WithRequest): string | undefined
}

type WithRequest = Pick<Exchange, 'request'>

/** Number of answers of one route beyond a limit after which it gets no more requests. */
const maxBreaches = 3

/** Answers that passed a limit of the profile, by the route that they came from. */
export function createLimitBreaches(): LimitBreaches {
  const breaches = new Map<string, { count: number; why: string }>()

  return {
    add(exchange, why) {
      const route = routeOf(exchange)
      breaches.set(route, { count: (breaches.get(route)?.count ?? 0) + 1, why })
    },
    refusalReason(exchange) {
      const route = routeOf(exchange)
      const { count, why } = breaches.get(route) ?? { count: 0, why: '' }
      if (count < maxBreaches) return undefined
      return `${route} is skipped after ${count} answers exceeded a limit; the last one ${why}`
    },
  }
}

/** Path with the names of its parameters in place of ids. */
function routeOf(exchange: WithRequest): string {
  const { method } = exchange.request
  const path = requestPath(exchange)
  const operation = operationAt(method, path)
  return `${method} ${operation === undefined ? path : operations[operation].path}`
}
