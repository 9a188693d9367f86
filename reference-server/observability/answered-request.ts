import type { IncomingHttpHeaders } from 'node:http'
import type { Reply } from '../http/call.ts'

/** A request with its answer, once that is written or its client has left. */
export interface AnsweredRequest {
  readonly method: string
  /** Path without query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Undefined for preflights. */
  readonly id: string | undefined
  /** Name of the caller, never the key; empty without one. */
  readonly caller: string
  /** Undefined for answers that no handler made: preflights and pages of /docs. */
  readonly reply: Reply | undefined
  /** Path with `:name` for parameters; undefined where no route matches. */
  readonly route: string | undefined
  readonly status: number
  readonly durationMs: number
  /** The client left before the answer was complete. */
  readonly aborted: boolean
}

export type OnAnswered = (request: AnsweredRequest) => void
