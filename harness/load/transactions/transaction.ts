import type { OperationId } from '../../../contract/index.ts'
import type { RequestResult } from '../engine/in-flight-request.ts'
import type { MixEntry } from '../plan/mix.ts'
import type { Arrival } from '../plan/plan.ts'
import type { LoadTarget } from '../target.ts'

/** One request of a transaction. */
export interface StepSpec {
  readonly operation: OperationId
  readonly form: 'stream' | 'json'
  readonly query?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** What a transaction speaks through. */
export interface TransactionContext {
  readonly arrival: Arrival
  readonly entry: MixEntry
  readonly target: LoadTarget
  /** Sends the next request; it is due at once, or when the last pause ends. */
  send(step: StepSpec): Promise<RequestResult>
  /** Two requests that leave together. */
  sendTwice(step: StepSpec): Promise<readonly [RequestResult, RequestResult]>
  /** A user reads and types. */
  pause(ns: number): Promise<void>
  /** A v3 chat that nobody else uses. */
  freshChat(): Promise<string | undefined>
  v2Chat(): Promise<string | undefined>
  /** A v3 chat with some history in it, for readers only. */
  historyChat(): Promise<string | undefined>
  /** A UUID that the seed decides. */
  uuid(): string
  /** What became of an idempotency race. */
  recordRace(outcome: IdempotencyRace): void
}

export interface IdempotencyRace {
  /** User turns that the history holds; null where it cannot be read. */
  readonly turns: number | null
  readonly history: RequestResult
}

/** A kind of transaction: sends what it sends, and ends. A failure ends it early. */
export type Transaction = (speaker: TransactionContext) => Promise<void>

export function succeeded({ record }: RequestResult): boolean {
  const { kind } = record.outcome
  return kind === 'ok' || (kind === 'left' && record.outcome.why === 'slow-reader')
}
