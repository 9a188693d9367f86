import type { Ending } from '../../../contract/index.ts'
import { ProxyError } from '../../client/index.ts'
import { Http2Error } from '../http/http2/error.ts'
import { HttpSyntaxError } from '../http/response-sink.ts'
import type { RequestOutcome } from '../record.ts'

/** What is known of an answer that began. */
export interface Ended {
  readonly status: number
  readonly ending: Ending
  /** Of a stream: its terminal event came. */
  readonly wholeStream: boolean
  /** What cut it; undefined where nothing did. */
  readonly cut: string | undefined
  /** What the server said inside a 200 of its own failure. */
  readonly failure: string | undefined
  /** A required row that the answer broke, with what is odd about its form. */
  readonly violated: string | undefined
}

/** The first that holds, from what is least about the content of an answer to what is most. */
export function outcomeOf({
  status,
  ending,
  wholeStream,
  cut,
  failure,
  violated,
}: Ended): RequestOutcome {
  if (status === 429) return { kind: 'shed', detail: '429' }
  if (status < 200 || status > 299) return { kind: 'status', detail: String(status) }
  if (ending.kind !== 'complete') return { kind: 'truncated', detail: cut ?? wasCut }
  if (failure !== undefined) return { kind: 'in-band-error', detail: failure }
  if (!wholeStream) return { kind: 'truncated', detail: 'the stream has no terminal event' }
  return violated === undefined ? { kind: 'ok' } : { kind: 'integrity', detail: violated }
}

/** No status line came. `sent`: the request was written. */
export function connectFailure(error: Error, sent: boolean): RequestOutcome {
  if (error instanceof Http2Error && sent) {
    return { kind: 'connect', detail: `${error.message} before headers` }
  }
  if (tellsItself(error)) return { kind: 'connect', detail: error.message }
  const [first] = error instanceof AggregateError ? error.errors : []
  const cause = first instanceof Error ? first : error
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
  return { kind: 'connect', detail: sent ? `${code} before headers` : code }
}

/** What cut an answer that had begun. */
export function causeOf(error: Error): string {
  return tellsItself(error) ? error.message : wasCut
}

const wasCut = 'the connection was cut'

/** Errors whose message says what came, in place of a code. */
function tellsItself(error: Error): boolean {
  return (
    error instanceof HttpSyntaxError || error instanceof Http2Error || error instanceof ProxyError
  )
}
