import {
  bodyText,
  type Exchange,
  isDeeperThan,
  mediaType,
  operationOf,
  operations,
  requestJson,
  requestPath,
  sentPath,
} from '../../../../contract/index.ts'
import { asObject } from '../../../../contract/json.ts'
import type { TargetProfile } from '../../profile/index.ts'
import { historyRows } from '../../scenario/read.ts'
import { NotSentError } from '../errors.ts'
import type { RunState } from '../run-state.ts'

type Limits = Pick<TargetProfile['limits'], 'jsonDepth' | 'historyRows'>

/**
 * Describes output beyond a limit of the profile, as the end of a sentence about the request; a scenario then
 * cannot use the response. Undefined if it is within all limits.
 */
export function findExcess(exchange: Exchange, limits: Limits): string | undefined {
  const { ending } = exchange
  if (ending.kind === 'aborted' && ending.limit !== undefined) return ending.limit
  if (isDeep(exchange, limits.jsonDepth)) {
    return `sent JSON that is nested more than ${limits.jsonDepth} levels deep (limits.jsonDepth)`
  }
  if (operationOf(exchange) !== 'v3.history') return undefined
  const rows = historyRows(exchange).length
  return rows > limits.historyRows
    ? `sent a page of ${rows} rows, more than ${limits.historyRows} (limits.historyRows)`
    : undefined
}

/** `GET /api/v3/chat`, for the beginning of the sentence. */
export function describeRequest(exchange: Exchange): string {
  return `${exchange.request.method} ${sentPath(exchange)}`
}

/** The same response without its body, for a caller that does not check limits. */
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

type WithRequest = Pick<Exchange, 'request'>

/** Number of responses of one route beyond a limit after which it gets no more requests. */
const maxBreaches = 3

/** Maximum consecutive requests without a response in time: a route that hangs would cost hours. */
const maxSilences = 6

/** Responses beyond a limit of the profile, by their route. */
export function createLimitBreaches({
  breaches,
  silences,
}: Pick<RunState, 'breaches' | 'silences'>) {
  return {
    /** `why` is the end of a sentence about the request. */
    add(exchange: Exchange, why: string): void {
      const route = routeOf(exchange)
      breaches.set(route, { count: (breaches.get(route)?.count ?? 0) + 1, why })
    },
    /** Counts consecutive requests of a route that got no response in time. */
    recordEnding(exchange: Exchange): void {
      const form = formOf(exchange)
      const isSilent = exchange.ending.kind === 'timeout'
      silences.set(form, isSilent ? (silences.get(form) ?? 0) + 1 : 0)
    },
    /** @throws NotSentError if the route gets no more requests. */
    assertMayAsk(exchange: WithRequest): void {
      const route = routeOf(exchange)
      const form = formOf(exchange)
      if ((silences.get(form) ?? 0) >= maxSilences) {
        throw new NotSentError(
          `${form} is skipped after ${maxSilences} requests in a row got no answer in time (limits.timeoutMs)`,
        )
      }
      const { count, why } = breaches.get(route) ?? { count: 0, why: '' }
      if (count < maxBreaches) return
      throw new NotSentError(
        `${route} is skipped after ${count} answers exceeded a limit; the last one ${why}`,
      )
    },
  }
}

/** Streams of a route may hang while its other responses arrive. */
function formOf(exchange: WithRequest): string {
  const isStream = asObject(requestJson(exchange))?.['stream'] === true
  return `${routeOf(exchange)}${isStream ? ' as a stream' : ''}`
}

/** Path with parameter names in place of ids. */
export function routeOf(exchange: WithRequest): string {
  const { method } = exchange.request
  const operation = operationOf(exchange)
  return `${method} ${operation === undefined ? requestPath(exchange) : operations[operation].path}`
}
