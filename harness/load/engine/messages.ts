import type { ThreadUsage } from '../generator/thread-usage.ts'
import type { ChannelPool, Http2Figures } from '../http/channel.ts'
import type { AnswerId, IntegrityCounts } from '../judging/integrity-recorder.ts'
import type { StoredHistogram } from '../metrics/samples/histogram.ts'
import type { Part, PlanSpec } from '../plan/plan.ts'
import type { RequestRecord } from '../record.ts'
import type { ChatNeeds } from '../setup/chat-pool.ts'
import type { LoadTarget } from '../target.ts'
import type { DroppedArrival } from './worker-context.ts'

/** What threads tell each other; everything survives a structured clone. */

export interface WorkerSetup {
  readonly target: LoadTarget
  readonly spec: PlanSpec
  readonly part: Part
  readonly needs: ChatNeeds
  readonly keepAlive: boolean
  /** Of this thread; without it, as many as there are requests at once. */
  readonly maxConnections?: number
  readonly drainNs: number
  readonly maxInFlight: number
  /** Of the canary server; null where there is none. */
  readonly clockProbePort: number | null
}

export type WorkerCommand =
  | { readonly type: 'start'; readonly startNs: bigint }
  /** End now. */
  | { readonly type: 'stop' }

export type WorkerMessage =
  | { readonly type: 'ready'; readonly troubles: Warnings }
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
      readonly connectionsOpened: number
      readonly httpVersion: ChannelPool['httpVersion']
      readonly http2: Http2Figures | null
      readonly usage: ThreadUsage
      /** Of the canary: how late the stamps of this thread were. */
      readonly timestampError: StoredHistogram | null
    }
  | { readonly type: 'fault'; readonly message: string }
  | {
      readonly type: 'gone'
      readonly chatsLeft?: number
      readonly troubles?: Warnings
      /** Why no load was sent, as a sentence. */
      readonly preparationFailure?: string
    }

/** In words, with how often. */
export type Warnings = readonly (readonly [what: string, count: number])[]
