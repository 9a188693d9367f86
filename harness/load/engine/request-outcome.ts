import type { Ending } from '../../../contract/index.ts'
import { ProxyError } from '../../client/index.ts'
import { Http2Error } from '../http/http2/error.ts'
import { HttpSyntaxError } from '../http/response-sink.ts'
import type { RequestOutcome } from '../record.ts'

/** What is known of an answer that began. */
export interface AnswerEnd {
  readonly status: number
  readonly ending: Ending
  /** Of a stream: its terminal event came. */
  readonly hasTerminalEvent: boolean
  /** What cut it; undefined where nothing did. */
  readonly cutReason: string | undefined
  /** What the server said inside a 200 of its own failure. */
  readonly serverFailure: string | undefined
  /** A required row that the answer broke, with what is odd about its form. */
  readonly violation: string | undefined
}

/** The first that holds, from what is least about the content of an answer to what is most. */
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
  if (ending.kind !== 'complete') return { kind: 'truncated', detail: cutReason ?? connectionCut }
  if (serverFailure !== undefined) return { kind: 'in-band-error', detail: serverFailure }
  if (!hasTerminalEvent) return { kind: 'truncated', detail: 'the stream has no terminal event' }
  return violation === undefined ? { kind: 'ok' } : { kind: 'integrity', detail: violation }
}

/** No status line came. `sent`: the request was written. */
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

/** What cut an answer that had begun. */
export function cutReasonOf(error: Error): string {
  return hasOwnMessage(error) ? error.message : connectionCut
}

const connectionCut = 'the connection was cut'

/** Errors whose message says what came, in place of a code. */
function hasOwnMessage(error: Error): boolean {
  return (
    error instanceof HttpSyntaxError || error instanceof Http2Error || error instanceof ProxyError
  )
}
