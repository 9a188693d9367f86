import type { Ending } from '../../../contract/index.ts'
import { codeOf, rootOf } from '../../client/network/failures.ts'
import { ProxyError } from '../../client/network/proxy.ts'
import { Http2Error, HttpSyntaxError } from '../http/channel.ts'
import { type Failure, failure, type RequestOutcome } from '../record.ts'
import type { PlannedRequest } from './record-builder.ts'

/** The end of an answer whose status line arrived. */
export interface AnswerEnd {
  readonly status: number
  readonly ending: Ending
  /** The terminal event of a stream, or the last byte of a body, arrived. */
  readonly hasTerminalEvent: boolean
  /** Reason of an early end; undefined for a complete answer. */
  readonly cut: Failure | undefined
  /** Failure that the server reports inside a 200. */
  readonly serverFailure: string | undefined
  /** First violated requirement of level `required`, with an unexpected media type. */
  readonly violation: string | undefined
}

/** Checks the transport first, then the server's own report, then the content. */
export function requestOutcome(answer: AnswerEnd): RequestOutcome {
  const { status, ending, hasTerminalEvent, serverFailure, violation } = answer
  if (status === 429) return failure('shed', '429')
  if (status >= 500 && status < 600) return failure('status', String(status), 'serverErrors')
  if (status < 200 || status > 299) return failure('status', String(status))
  // A cut after the terminal event loses nothing; judges report it if the contract forbids it.
  const isWhole = ending.kind === 'complete' || (ending.kind === 'cut' && hasTerminalEvent)
  if (!isWhole) return answer.cut ?? failure('truncated', connectionCut)
  if (serverFailure !== undefined) return failure('in-band-error', serverFailure)
  if (!hasTerminalEvent) {
    return failure('truncated', 'the stream has no terminal event', 'incomplete')
  }
  return violation === undefined ? { kind: 'ok' } : failure('integrity', violation)
}

/** Excludes answers to misbehaving clients and to races: they are judged, but not timed. */
export function classify(
  outcome: RequestOutcome,
  { clientBehavior, race, duplicate }: PlannedRequest,
): RequestOutcome {
  // The target decides which of the two requests it rejects.
  if (duplicate || (race && outcome.kind === 'status')) return { kind: 'abandoned', why: 'race' }
  if (outcome.kind !== 'ok' || clientBehavior !== 'slow-reader') return outcome
  return { kind: 'abandoned', why: 'slow-reader' }
}

/** Outcome of a request without a status line. `sent`: the request was written. */
export function connectFailure(error: Error, sent: boolean): Failure {
  if (error instanceof HttpSyntaxError) return failure('unreadable', error.message)
  const counter = sent ? 'droppedConnections' : 'unanswered'
  const root = rootOf(error)
  const cause = hasOwnMessage(error) ? error.message : (codeOf(root) ?? root.name)
  return failure('connect', sent ? `${cause} before headers` : cause, counter)
}

/** Cause of a cut inside an answer. */
export function cutOf(error: Error): Failure {
  if (error instanceof HttpSyntaxError) return failure('unreadable', error.message)
  return failure('truncated', hasOwnMessage(error) ? error.message : connectionCut)
}

const connectionCut = 'the connection was cut'

/** True for errors whose message says more than their code. */
function hasOwnMessage(error: Error): boolean {
  return error instanceof Http2Error || error instanceof ProxyError
}
