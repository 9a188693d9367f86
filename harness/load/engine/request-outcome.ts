import type { Ending } from '../../../contract/index.ts'
import { ProxyError } from '../../client/index.ts'
import { HttpSyntaxError } from '../http/channel.ts'
import { Http2Error } from '../http/http2/connection.ts'
import type { RequestOutcome } from '../record.ts'
import type { PlannedRequest } from './planned-request.ts'

/** The end of an answer whose status line arrived. */
export interface AnswerEnd {
  readonly status: number
  readonly ending: Ending
  /** The terminal event of a stream, or the last byte of a body, arrived. */
  readonly hasTerminalEvent: boolean
  /** Cause of a cut; undefined for a complete answer. */
  readonly cutReason: string | undefined
  /** Failure that the server reports inside a 200. */
  readonly serverFailure: string | undefined
  /** First violated requirement of level `required`, with an unexpected media type. */
  readonly violation: string | undefined
}

/** Checks the transport first, then the server's own report, then the content. */
export function requestOutcome({
  status,
  ending,
  hasTerminalEvent,
  cutReason,
  serverFailure,
  violation,
}: AnswerEnd): RequestOutcome {
  if (status === 429) return { kind: 'shed', detail: '429' }
  if (status < 200 || status > 299) return { kind: 'status', detail: String(status) }
  // A cut after the terminal event loses nothing; judges report it where the contract forbids it.
  const isWhole = ending.kind === 'complete' || (ending.kind === 'cut' && hasTerminalEvent)
  if (!isWhole) return { kind: 'truncated', detail: cutReason ?? connectionCut }
  if (serverFailure !== undefined) return { kind: 'in-band-error', detail: serverFailure }
  if (!hasTerminalEvent) return { kind: 'truncated', detail: 'the stream has no terminal event' }
  return violation === undefined ? { kind: 'ok' } : { kind: 'integrity', detail: violation }
}

/** Excludes answers to misbehaving clients and to races: they are judged, but not timed. */
export function classify(
  outcome: RequestOutcome,
  {
    clientBehavior,
    race,
    duplicate,
  }: Pick<PlannedRequest, 'clientBehavior' | 'race' | 'duplicate'>,
): RequestOutcome {
  // The target decides which of the two requests it rejects.
  if (duplicate || (race && outcome.kind === 'status')) return { kind: 'abandoned', why: 'race' }
  if (outcome.kind !== 'ok' || clientBehavior !== 'slow-reader') return outcome
  return { kind: 'abandoned', why: 'slow-reader' }
}

/** Outcome of a request without a status line. `sent`: the request was written. */
export function connectFailure(error: Error, sent: boolean): RequestOutcome {
  if (error instanceof Http2Error && sent) {
    return { kind: 'connect', detail: `${error.message} before headers` }
  }
  if (hasOwnMessage(error)) return { kind: 'connect', detail: error.message }
  const [first] = error instanceof AggregateError ? error.errors : []
  const cause = first instanceof Error ? first : error
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
  return { kind: 'connect', detail: sent ? `${code} before headers` : code }
}

/** Cause of a cut inside an answer. */
export function cutReasonOf(error: Error): string {
  return hasOwnMessage(error) ? error.message : connectionCut
}

const connectionCut = 'the connection was cut'

/** True for errors whose message says more than their code. */
function hasOwnMessage(error: Error): boolean {
  return (
    error instanceof HttpSyntaxError || error instanceof Http2Error || error instanceof ProxyError
  )
}
