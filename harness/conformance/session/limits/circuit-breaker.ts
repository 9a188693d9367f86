import { type Exchange, header, requestJson, succeeded } from '../../../../contract/index.ts'
import { asObject } from '../../../../contract/json.ts'
import { isPage } from '../../preflight/classify-answer.ts'
import { newRunState, type RunState, steadyNow } from '../run-state.ts'
import { routeOf } from './limit-breaches.ts'

/** Number of consecutive failed conversations after which the target counts as unreachable. */
const maxConsecutiveFailures = 8
/** Time for which answers in a row last at least: a gateway may have no backend for a moment. */
const minFailingMs = 2000
/** Time after which a 504 is the end of a wait for the service. */
const minWaitMs = 1000

/**
 * Ends the wait for a target that hangs, died or refuses all requests, and prevents verdicts if another
 * server answers from some request on.
 * @param numberSent number in the id of the latest exchange
 */
export function createCircuitBreaker(
  state: RunState['circuit'] = newRunState().circuit,
  numberSent = () => 0,
  now = steadyNow,
) {
  const endReason = () => state.contradictions.reason ?? state.breakdown.reason

  function recordFailure(why: string): void {
    state.consecutiveFailures += 1
    state.reason = `${maxConsecutiveFailures} requests in a row ${why}`
  }

  /** A service that is restarted loses all its connections at once: those in flight are one failure. */
  function recordLoss({ id }: Exchange, code: string): void {
    if (Number(/\d+$/.exec(id)?.[0]) <= state.sentBeforeLoss) return
    if (state.consecutiveFailures === 0) state.sentBeforeLoss = numberSent()
    recordFailure(`got no answer (${code})`)
  }

  return {
    get isOpen(): boolean {
      return state.consecutiveFailures >= maxConsecutiveFailures || endReason() !== undefined
    },
    get isFailing(): boolean {
      return state.consecutiveFailures > 0
    },
    get reason(): string {
      return endReason() ?? state.reason
    },
    /** Tests if a response refuses a request that was accepted earlier in the run, and nothing explains it. */
    contradicts(exchange: Exchange): boolean {
      const { labels, response } = exchange
      // A probe may ask for what is deleted.
      if (labels.role === 'probe' && absences.includes(response?.status ?? 0)) return false
      if (labels.role === 'negative' || namesParent(exchange)) return false
      return contradicts(exchange, state.contradictions.accepted)
    },
    /** Tests if a request with the key of this one was accepted earlier in the run. */
    knowsKeyOf(exchange: Exchange): boolean {
      const key = placeOf(exchange).slice(routeOf(exchange).length)
      return [...state.contradictions.accepted].some((place) => place.endsWith(key))
    },
    recordEnding(exchange: Exchange): void {
      const { ending, response } = exchange
      recordContradiction(state.contradictions, exchange, now())
      recordServerError(state.breakdown, exchange, now())
      if (ending.kind === 'timeout') recordFailure('got no answer in time')
      else if (response === null && ending.kind === 'aborted')
        recordFailure('were left without an answer')
      else if (response === null && ending.kind === 'unreachable') recordLoss(exchange, ending.code)
      // A 504 after a wait counts as a missing response of the service; others of a gateway count neither way.
      else if (response?.status === 504 && response.headersAtMs >= minWaitMs)
        recordFailure('were answered 504 by a gateway')
      else if (response?.status === 502 || response?.status === 504) return
      // A 429 or 503 is not final: the request is tried again.
      else if (response?.status !== 429 && response?.status !== 503) state.consecutiveFailures = 0
    },
    /** The last try got a 429 or 503 as well, or no connection. */
    giveUp({ response, ending }: Exchange): void {
      const advice =
        response?.status === 429
          ? ' (lower the rate with --jobs 1 or limits.requestsPerSecond)'
          : ''
      recordFailure(
        ending.kind === 'unreachable'
          ? `got no answer (${ending.code})`
          : `were still answered ${response?.status} at the last try${advice}`,
      )
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
function recordServerError(
  state: RunState['circuit']['breakdown'],
  exchange: Exchange,
  nowMs: number,
): void {
  const { labels, response } = exchange
  const status = response?.status ?? 0
  if (status < 500) {
    if (status === 0) return
    state.count = 0
    state.routes.clear()
  } else if (labels.role !== 'negative' && !otherErrors.includes(status)) {
    if (state.count === 0) state.sinceMs = nowMs
    state.count += 1
    state.routes.add(routeOf(exchange))
    if (state.count < maxServerErrors || state.routes.size < minBrokenRoutes) return
    if (nowMs - state.sinceMs < minFailingMs) return
    state.reason ??= `${state.count} answers in a row, on ${state.routes.size} routes, were server errors (${status})`
  }
}

/**
 * Counts consecutive responses that contradict earlier ones: a refused key, a page or a 404, for an operation
 * that was accepted with this key. Responses to negative requests do not count.
 */
function recordContradiction(
  state: RunState['circuit']['contradictions'],
  exchange: Exchange,
  nowMs: number,
): void {
  if (exchange.response === null || exchange.labels.role === 'negative') return
  if (contradicts(exchange, state.accepted)) {
    if (namesParent(exchange)) return
    state.count += 1
    if (state.count === 1) Object.assign(state, { since: exchange.id, sinceMs: nowMs })
    if (state.count < maxConsecutiveFailures || nowMs - state.sinceMs < minFailingMs) return
    const { status } = exchange.response
    const what = isPage(exchange)
      ? 'every answer is an HTML page'
      : absences.includes(status)
        ? 'routes that existed before are gone'
        : 'the key that was accepted before is refused'
    state.reason ??= `from ${state.since} on, ${what} (${status})`
  } else if (!isRefusal(exchange)) {
    state.count = 0
    if (succeeded(exchange)) state.accepted.add(placeOf(exchange))
  }
}

/** The target may have lost the parent; requests without one show whether the route exists. */
function namesParent(exchange: Exchange): boolean {
  return asObject(requestJson(exchange))?.['parent_id'] != null
}

function contradicts(exchange: Exchange, accepted: ReadonlySet<string>): boolean {
  const isAbsent = absences.includes(exchange.response?.status ?? 0)
  // A single resource may have been deleted.
  if (isAbsent && routeOf(exchange).includes('{')) return false
  return isRefusal(exchange) && accepted.has(placeOf(exchange))
}

const absences: readonly number[] = [404, 410]

/** Tests for a response of another server than the one that was asked: a refused key, no such route, a page. */
export function isRefusal(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0
  return status === 401 || status === 403 || absences.includes(status) || isPage(exchange)
}

/** An operation and the key of its request. */
function placeOf(exchange: Exchange): string {
  return `${routeOf(exchange)} ${header(exchange.request.headers, 'authorization')}`
}
