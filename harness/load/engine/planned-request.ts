import type { Surface } from '../../../contract/catalogue/requirement.ts'
import type { BufferUsage } from '../http/answer-limits.ts'
import type { DecodeGate } from '../http/encoded-body.ts'
import type { JudgedRequest } from '../judging/answer-judge.ts'
import type { IntegrityRecorder } from '../judging/integrity-recorder.ts'
import type { ClientBehavior } from '../plan/plan.ts'
import type { RequestOutcome, RequestRecord, RequestResult } from '../record.ts'
import type { LoadTarget } from '../target.ts'
import type { RequestTimings } from './request-timings.ts'

/** One request, ready to be sent. */
export interface PlannedRequest extends JudgedRequest {
  /** Index of the arrival in the plan. */
  readonly index: number
  /** Position within its transaction, from 0. */
  readonly step: number
  /** Name of the transaction in the mix. */
  readonly transaction: string
  readonly surface: Surface
  /** Index of its endpoint; absent for a target with one. */
  readonly endpoint?: number
  /** Nanoseconds after the start of the run, as in `Timestamps`. */
  readonly planned: number
  readonly dispatched: number
  readonly nonce: string
  readonly noncePrefix: string
  readonly clientBehavior: ClientBehavior
  /** Strength of the behavior, 0 to 1. */
  readonly intensity: number
  readonly requestId: string
  /** True for the second of two requests with one idempotency key. */
  readonly duplicate: boolean
}

/** Services that all requests of a worker share. */
export interface RequestServices {
  readonly integrity: IntegrityRecorder
  readonly buffers: BufferUsage
  readonly decodeGate: DecodeGate
  readonly target: Pick<LoadTarget, 'limits'>
}

/** Callbacks of a request; exactly one of them is called, once. */
export interface ResultHandlers {
  readonly onResult: (result: RequestResult) => void
  /** An internal error of the engine kept the request from settling. */
  readonly onError: (error: unknown) => void
}

/** The record of a settled request. */
export function requestRecord(
  { index, step, transaction, surface, endpoint, operation, form }: PlannedRequest,
  { timestamps, gapsNs, counts, rateLimit }: RequestTimings,
  status: number | null,
  outcome: RequestOutcome,
): RequestRecord {
  return {
    index,
    step,
    transaction,
    surface,
    ...(endpoint === undefined ? {} : { endpoint }),
    operation,
    form,
    timestamps,
    gapsNs,
    counts,
    status,
    outcome,
    ...(rateLimit === undefined ? {} : { rateLimit }),
  }
}
