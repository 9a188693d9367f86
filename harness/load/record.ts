/**
 * What the engine saw of one request. All times are monotonic nanoseconds after the start of the
 * run, the same for every worker; null where the moment never came.
 */
export interface RequestRecord {
  /** Of the arrival in the plan. */
  readonly index: number
  /** Position in a transaction of several requests, from 0. */
  readonly step: number
  /** Name of the transaction in the mix. */
  readonly transaction: string
  readonly surface: 'openai' | 'v2' | 'v3'
  readonly operation: string
  readonly form: 'stream' | 'json'
  readonly timestamps: Timestamps
  /** Time between reads that brought generated content, nanoseconds; 0 where one read brought several. */
  readonly gapsNs: readonly number[]
  readonly counts: Counts
  /** Null where no status line came. */
  readonly status: number | null
  readonly outcome: RequestOutcome
}

export interface Timestamps {
  /** When the plan wanted it sent. */
  readonly planned: number
  /** When the scheduler got to it. */
  readonly dispatched: number
  /** When a connection was ready; null where it never was. */
  readonly connected: number | null
  /** When its first byte was written. */
  readonly sent: number | null
  readonly headers: number | null
  readonly firstEvent: number | null
  /** First generated delta that is not empty: reasoning, text or tool arguments. */
  readonly firstGenerated: number | null
  /** First delta of answer text that is not empty. */
  readonly firstText: number | null
  readonly lastGenerated: number | null
  /** The event that ends a stream, or the last byte of a body in one piece. */
  readonly terminal: number | null
  /** End of the body, or of the connection; of `open` and `timeout`, when the kit stopped waiting. */
  readonly ended: number | null
}

export interface Counts {
  readonly bytes: number
  readonly reads: number
  readonly events: number
  /** Deltas with generated content. */
  readonly generated: number
  /** From the usage that the answer tells; null where it tells none. */
  readonly outputTokens: number | null
  /** The same without reasoning that was counted and never shown: what was there to be paced. */
  readonly streamedTokens: number | null
  readonly inputTokens: number | null
  /** True where the request opened its connection. */
  readonly newConnection: boolean
}

/**
 * `ok` is a whole answer in which no judge found a violation; only such a one can be good.
 * `left`: not a user's request: a client that misbehaved on purpose, or the twin in a race of
 * idempotency keys. Its times are not the target's.
 * `open`: in flight when the run ended, so its latencies are only known to be longer than so far.
 */
export type RequestOutcome =
  | { readonly kind: 'ok' }
  | { readonly kind: 'open' }
  | { readonly kind: 'left'; readonly why: 'abort' | 'churn' | 'slow-reader' | 'race' }
  | { readonly kind: FailureKind; readonly detail: string }

export const failureKinds = [
  'connect',
  'status',
  'shed',
  'truncated',
  'in-band-error',
  'integrity',
  'timeout',
  'limit',
] as const
export type FailureKind = (typeof failureKinds)[number]
