import type { Ending } from '../../contract/index.ts'
import type { RequestOutcome } from '../record.ts'

/** What is known of an answer that began. */
export interface Ended {
  readonly status: number
  readonly ending: Ending
  /** Of a stream: its terminal event came. */
  readonly wholeStream: boolean
  /** What the server said inside a 200 of its own failure. */
  readonly failure: string | undefined
  /** A required row that the answer broke. */
  readonly violated: string | undefined
}

/** The first that holds, from what is least about the content of an answer to what is most. */
export function outcomeOf({
  status,
  ending,
  wholeStream,
  failure,
  violated,
}: Ended): RequestOutcome {
  if (status === 429) return { kind: 'shed', detail: '429' }
  if (status < 200 || status > 299) return { kind: 'status', detail: String(status) }
  if (ending.kind !== 'complete') return { kind: 'truncated', detail: 'the connection was cut' }
  if (failure !== undefined) return { kind: 'in-band-error', detail: failure }
  if (!wholeStream) return { kind: 'truncated', detail: 'the stream has no terminal event' }
  return violated === undefined ? { kind: 'ok' } : { kind: 'integrity', detail: violated }
}

/** No status line came. `sent`: the request was written. */
export function connectFailure(error: Error, sent: boolean): RequestOutcome {
  const [first] = error instanceof AggregateError ? error.errors : []
  const cause = first instanceof Error ? first : error
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
  return { kind: 'connect', detail: sent ? `${code} before headers` : code }
}
