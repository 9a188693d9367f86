import type { Passage } from '../../../fixtures/content/passages.ts'
import type { ThreadUsage } from '../generator/generator-monitor.ts'
import type { ChannelPool, Http2Figures } from '../http/channel.ts'
import type { AnswerId, IntegrityCounts } from '../judging/integrity-recorder.ts'
import type { HistogramData } from '../metrics/samples/histogram.ts'
import { type ChatNeeds, partSize } from '../plan/needs.ts'
import { type Part, type PlanSpec, partOfWorker, shareOf, wholePlan } from '../plan/plan.ts'
import type { RequestRecord } from '../record.ts'
import type { Warning } from '../setup/chat-journal.ts'
import type { LoadTarget } from '../target.ts'
import type { DroppedArrival } from './worker-context.ts'

/** Messages between the main thread and its workers; all are structured-cloneable. */

export interface WorkerSetup {
  readonly target: LoadTarget
  readonly spec: PlanSpec
  /** Part of the plan that this worker sends. */
  readonly part: Part
  /** Texts from which prompts are cut. */
  readonly passages: readonly Passage[]
  readonly needs: ChatNeeds
  readonly keepAlive: boolean
  /** Maximum connections of this worker, at least one for each endpoint; unlimited by default. */
  readonly maxConnections?: number
  /** Time after the end of the plan for requests in flight. */
  readonly drainNs: number
  /** Maximum number of transactions in flight; further arrivals are dropped. */
  readonly maxInFlight: number
  /** Port of the clock probe server. */
  readonly clockProbePort: number
}

export type WorkerCommand =
  | { readonly type: 'prepare'; readonly setup: WorkerSetup }
  | { readonly type: 'start'; readonly startNs: bigint }
  /** Ends the run now. */
  | { readonly type: 'stop' }

export type WorkerMessage =
  | { readonly type: 'ready' }
  | {
      readonly type: 'records'
      readonly records: readonly RequestRecord[]
      readonly ids: readonly AnswerId[]
      readonly dropped: readonly DroppedArrival[]
      readonly inFlight: number
    }
  | {
      readonly type: 'done'
      readonly integrity: IntegrityCounts
      readonly httpVersion: ChannelPool['httpVersion']
      readonly http2: Http2Figures | null
      readonly usage: ThreadUsage
      /** Delay of this worker's stamps, measured by the clock probe. */
      readonly timestampError: HistogramData
    }
  | { readonly type: 'error'; readonly message: string }
  | {
      readonly type: 'exited'
      /** Chats that were not deleted. */
      readonly chatsLeft?: number
      /** Connections of the worker, those of setup and cleanup included. */
      readonly connectionsOpened?: number
      readonly warnings?: readonly Warning[]
      /** Reason why no load was sent, as a sentence. */
      readonly preparationFailure?: string
    }

/** Periodic report of a worker. */
export type RecordsMessage = Extract<WorkerMessage, { type: 'records' }>
export type DoneMessage = Extract<WorkerMessage, { type: 'done' }>
export type ExitedMessage = Extract<WorkerMessage, { type: 'exited' }>

export interface WorkerPoolResult {
  /** One message for each worker that finished its run. */
  readonly done: readonly DoneMessage[]
  readonly warnings: readonly Warning[]
  readonly internalErrors: readonly string[]
  /** Chats that were not deleted. */
  readonly chatsLeft: number
  /** Connections to the target, those of setup and cleanup included. */
  readonly connectionsOpened: number
}

interface SetupOptions extends Pick<WorkerSetup, 'spec' | 'target' | 'keepAlive' | 'maxInFlight'> {
  readonly workers: number
  readonly maxConnections?: number | undefined
  readonly drainMs: number
  /** Null sends the whole plan. */
  readonly shard: Part | null
}

/** Setups of the workers of a run, each with its part of the plan. */
export function setupsOf(
  { spec, target, workers, keepAlive, maxConnections, drainMs, maxInFlight, shard }: SetupOptions,
  passages: readonly Passage[],
  clockProbePort: number,
): WorkerSetup[] {
  return Array.from({ length: workers }, (_, index) => {
    const worker = { index, of: workers }
    const part = partOfWorker(shard ?? wholePlan, worker)
    return {
      ...{ target, spec, part, passages, keepAlive, clockProbePort },
      needs: partSize(spec, part).needs,
      ...(maxConnections === undefined ? {} : { maxConnections: shareOf(maxConnections, worker) }),
      drainNs: drainMs * 1e6,
      maxInFlight: Math.ceil(maxInFlight / workers),
    }
  })
}
