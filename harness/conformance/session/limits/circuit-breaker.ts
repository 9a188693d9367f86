import { type Exchange, header, succeeded } from '../../../../contract/index.ts'
import { isPage } from '../../preflight/classify-answer.ts'
import { newRunState, type RunState } from '../run-state.ts'
import { routeOf } from './limit-breaches.ts'

/** Number of consecutive failed conversations after which the target counts as unreachable. */
const maxConsecutiveFailures = 8

/**
 * Spares a run the wait for a target that hangs, died or turns everybody away, and the verdicts of one
 * that something else answers for from some request on.
 */
export function createCircuitBreaker(state: RunState['circuit'] = newRunState().circuit) {
  const contradictions = createContradictions(state.contradictions)

  function recordFailure(why: string): void {
    state.consecutiveFailures += 1
    state.reason = `${maxConsecutiveFailures} requests in a row ${why}`
  }

  return {
    get isOpen(): boolean {
      return (
        state.consecutiveFailures >= maxConsecutiveFailures || contradictions.reason !== undefined
      )
    },
    get reason(): string {
      return contradictions.reason ?? state.reason
    },
    /** Tests if an answer refuses what was accepted earlier in the run. */
    contradicts: contradictions.contradicts,
    recordEnding(exchange: Exchange): void {
      const { ending, response } = exchange
      contradictions.record(exchange)
      if (ending.kind === 'timeout') recordFailure('got no answer in time')
      else if (response === null && ending.kind === 'aborted')
        recordFailure('were left without an answer')
      else if (response === null && ending.kind === 'unreachable') {
        recordFailure(`found no answer (${ending.code})`)
      }
      // A gateway that waited in vain is no sign of life, and one that found nobody is none either way.
      else if (response?.status === 504) recordFailure('were answered 504 by a gateway')
      else if (response?.status === 502) return
      // To be turned away is no answer yet: it is tried again.
      else if (response?.status !== 429 && response?.status !== 503) state.consecutiveFailures = 0
    },
    /** The last try was turned away as well. */
    giveUp({ response }: Exchange): void {
      recordFailure(`were answered ${response?.status} to the last try`)
    },
  }
}

/**
 * Counts answers in a row that contradict earlier ones: a refused key, a page or a 404, for an operation that
 * this key had been accepted for. Answers to requests that are to be refused count for nothing.
 */
function createContradictions(state: RunState['circuit']['contradictions']) {
  const { accepted } = state

  return {
    /** Set when there were too many; the end of a sentence. */
    get reason(): string | undefined {
      return state.reason
    },
    contradicts,
    record(exchange: Exchange): void {
      const { id, labels, response } = exchange
      const status = response?.status
      if (status === undefined || labels.role === 'negative') return
      if (contradicts(exchange)) {
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

/** An operation and the key that it was asked with. */
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
