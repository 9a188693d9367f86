import {
  bodyText,
  type Exchange,
  header,
  isDeeperThan,
  mediaType,
  operationOf,
  operations,
  requestJson,
  requestPath,
  sentPath,
  succeeded,
} from '../../../../contract/index.ts'
import { asObject } from '../../../../contract/json.ts'
import { isPage } from '../../preflight/classify-answer.ts'
import type { TargetProfile } from '../../profile/index.ts'
import { historyRows } from '../../scenario/read.ts'
import { NotSentError } from '../errors.ts'
import { newRunState, type RunState } from '../run-state.ts'

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

export type LimitBreaches = ReturnType<typeof createLimitBreaches>

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

/** Number of consecutive failed conversations after which the target counts as unreachable. */
const maxConsecutiveFailures = 8

/**
 * Ends the wait for a target that hangs, died or refuses all requests, and prevents verdicts if another
 * server answers from some request on.
 */
export function createCircuitBreaker(state: RunState['circuit'] = newRunState().circuit) {
  const contradictions = createContradictions(state.contradictions)
  const breakdown = createBreakdown(state.breakdown)

  function recordFailure(why: string): void {
    state.consecutiveFailures += 1
    state.reason = `${maxConsecutiveFailures} requests in a row ${why}`
  }

  return {
    get isOpen(): boolean {
      const isUnreachable = state.consecutiveFailures >= maxConsecutiveFailures
      return isUnreachable || (contradictions.reason ?? breakdown.reason) !== undefined
    },
    get reason(): string {
      return contradictions.reason ?? breakdown.reason ?? state.reason
    },
    /** Tests if a response refuses a request that was accepted earlier in the run. */
    contradicts: contradictions.contradicts,
    recordEnding(exchange: Exchange): void {
      const { ending, response } = exchange
      contradictions.record(exchange)
      breakdown.record(exchange)
      if (ending.kind === 'timeout') recordFailure('got no answer in time')
      else if (response === null && ending.kind === 'aborted')
        recordFailure('were left without an answer')
      else if (response === null && ending.kind === 'unreachable') {
        recordFailure(`found no answer (${ending.code})`)
      }
      // A 504 counts as a missing response of the service; a 502 counts neither way.
      else if (response?.status === 504) recordFailure('were answered 504 by a gateway')
      else if (response?.status === 502) return
      // A 429 or 503 is not final: the request is tried again.
      else if (response?.status !== 429 && response?.status !== 503) state.consecutiveFailures = 0
    },
    /** The last try got a 429 or 503 as well. */
    giveUp({ response }: Exchange): void {
      const advice = response?.status === 429 ? ' (limits.requestsPerSecond sets a lower rate)' : ''
      recordFailure(`were answered ${response?.status} to the last try${advice}`)
    },
  }
}

/** Consecutive server errors, and number of their routes, after which the target counts as broken down. */
const maxServerErrors = 12
const minBrokenRoutes = 3

/** Server errors with another meaning: not implemented, and busy for now. */
const otherErrors: readonly number[] = [501, 503]

/**
 * Counts consecutive server errors. A single broken route, or refusals that fail while everything else works,
 * are not a target that has broken down.
 */
function createBreakdown(state: RunState['circuit']['breakdown']) {
  return {
    /** Set once there were too many; the end of a sentence. */
    get reason(): string | undefined {
      return state.reason
    },
    record(exchange: Exchange): void {
      const { labels, response } = exchange
      const status = response?.status ?? 0
      if (status < 500) {
        if (status === 0) return
        state.count = 0
        state.routes.clear()
      } else if (labels.role !== 'negative' && !otherErrors.includes(status)) {
        state.count += 1
        state.routes.add(routeOf(exchange))
        if (state.count < maxServerErrors || state.routes.size < minBrokenRoutes) return
        state.reason ??= `${state.count} answers in a row, on ${state.routes.size} routes, were server errors (${status})`
      }
    },
  }
}

/**
 * Counts consecutive responses that contradict earlier ones: a refused key, a page or a 404, for an operation
 * that was accepted with this key. Responses to negative requests do not count.
 */
function createContradictions(state: RunState['circuit']['contradictions']) {
  const { accepted } = state

  return {
    /** Set once there were too many; the end of a sentence. */
    get reason(): string | undefined {
      return state.reason
    },
    contradicts,
    record(exchange: Exchange): void {
      const { id, labels, response } = exchange
      const status = response?.status
      if (status === undefined || labels.role === 'negative') return
      if (contradicts(exchange)) {
        // The target may have lost the parent; requests without one show whether the route exists.
        if (asObject(requestJson(exchange))?.['parent_id'] != null) return
        state.count += 1
        if (state.count === 1) state.since = id
        if (state.count >= maxConsecutiveFailures) {
          state.reason ??= `from ${state.since} on, ${describe(exchange)}`
        }
      } else if (!isRefusal(exchange)) {
        state.count = 0
        if (succeeded(exchange)) accepted.add(placeOf(exchange))
      }
    },
  }

  function contradicts(exchange: Exchange): boolean {
    const isAbsent = absences.includes(exchange.response?.status ?? 0)
    // A single resource may have been deleted.
    if (isAbsent && routeOf(exchange).includes('{')) return false
    return isRefusal(exchange) && accepted.has(placeOf(exchange))
  }
}

const absences: readonly number[] = [404, 410]

function isRefusal(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0
  return status === 401 || status === 403 || absences.includes(status) || isPage(exchange)
}

/** An operation and the key of its request. */
function placeOf(exchange: Exchange): string {
  return `${routeOf(exchange)} ${header(exchange.request.headers, 'authorization')}`
}

function describe(exchange: Exchange): string {
  const status = exchange.response?.status ?? 0
  if (isPage(exchange)) return `every answer is an HTML page (${status})`
  return absences.includes(status)
    ? `routes that were there are gone (${status})`
    : `the key that was accepted before is refused (${status})`
}
