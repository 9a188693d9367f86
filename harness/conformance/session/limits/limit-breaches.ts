import {
  bodyText,
  type Exchange,
  isDeeperThan,
  mediaType,
  operationAt,
  operations,
  requestJson,
  requestPath,
} from '../../../../contract/index.ts'
import { asObject } from '../../../../contract/json.ts'
import type { TargetProfile } from '../../profile/index.ts'
import { historyRows } from '../../scenario/read.ts'
import { NotSentError } from '../errors.ts'
import type { RunState } from '../run-state.ts'

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
  /** Counts the requests of a route in a row that got no answer in time. */
  recordEnding(exchange: Exchange): void
  /** @throws NotSentError if the route of a request is asked no more. */
  assertMayAsk(exchange: WithRequest): void
}

type WithRequest = Pick<Exchange, 'request'>

/** Number of answers of one route beyond a limit after which it gets no more requests. */
const maxBreaches = 3

/** The same of requests in a row without an answer in time: a route that hangs would cost hours. */
const maxSilences = 6

/** Answers that passed a limit of the profile, by the route that they came from. */
export function createLimitBreaches({
  breaches,
  silences,
}: Pick<RunState, 'breaches' | 'silences'>): LimitBreaches {
  return {
    add(exchange, why) {
      const route = routeOf(exchange)
      breaches.set(route, { count: (breaches.get(route)?.count ?? 0) + 1, why })
    },
    recordEnding(exchange) {
      const form = formOf(exchange)
      const isSilent = exchange.ending.kind === 'timeout'
      silences.set(form, isSilent ? (silences.get(form) ?? 0) + 1 : 0)
    },
    assertMayAsk(exchange) {
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

/** Streams of a route may hang while its other answers come. */
function formOf(exchange: WithRequest): string {
  const isStream = asObject(requestJson(exchange))?.['stream'] === true
  return `${routeOf(exchange)}${isStream ? ' as a stream' : ''}`
}

/** Path with the names of its parameters in place of ids. */
export function routeOf(exchange: WithRequest): string {
  const { method } = exchange.request
  const path = requestPath(exchange)
  const operation = operationAt(method, path)
  return `${method} ${operation === undefined ? path : operations[operation].path}`
}
