import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { Passage } from '../../../fixtures/content/passages.ts'
import type { ThreadUsage } from '../generator/generator-monitor.ts'
import type { ChannelPool, Http2Figures } from '../http/channel.ts'
import type { AnswerId, IntegrityCounts } from '../judging/integrity-recorder.ts'
import type { HistogramData } from '../metrics/samples/histogram.ts'
import type { ChatNeeds, Part, PlanSpec } from '../plan/plan.ts'
import type { RequestRecord } from '../record.ts'
import { countWarnings, type Warning } from '../setup/chat-journal.ts'
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
      /** Delay of this worker's timestamps, measured by the clock probe. */
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

export type WorkerPoolResult = ReturnType<typeof poolResult>

/** Combined results of the workers of a run. */
export function poolResult(workers: readonly WorkerThread[]) {
  const exits = workers.map(({ end }) => end)
  return {
    /** One message for each worker that finished its run. */
    done: workers.flatMap(({ done }) => done ?? []),
    warnings: countWarnings(exits.flatMap(({ warnings = [] }) => warnings)),
    internalErrors: workers.flatMap(({ errors }) => errors),
    /** Chats that were not deleted. */
    chatsLeft: exits.reduce((sum, { chatsLeft = 0 }) => sum + chatsLeft, 0),
    /** Connections to the target, those of setup and cleanup included. */
    connectionsOpened: exits.reduce((sum, { connectionsOpened = 0 }) => sum + connectionsOpened, 0),
  }
}

/** A worker from the side of the main thread. */
export class WorkerThread extends Worker {
  done: DoneMessage | undefined
  end: ExitedMessage = { type: 'exited' }
  readonly errors: string[] = []
  onRecords: (message: RecordsMessage) => void = () => {}
  readonly #ready = Promise.withResolvers<void>()
  readonly #exited = Promise.withResolvers<void>()
  readonly ready = this.#ready.promise
  readonly exited = this.#exited.promise

  constructor() {
    setFlagsFromString(`--initial-heap-size=${initialHeapMb}`)
    // V8's single-threaded scavenger pauses for about 1 ms; the parallel one for up to 5 ms on busy CPUs.
    setFlagsFromString('--no-parallel-scavenge')
    // At its full size from the start: `bin/start.cjs` keeps young generations from growing.
    setFlagsFromString(`--min-semi-space-size=${maxYoungGenerationSizeMb / 3}`)
    super(workerFile, { resourceLimits: { maxYoungGenerationSizeMb } })
    this.on('message', (message: WorkerMessage) => {
      if (message.type === 'ready') this.#ready.resolve()
      else if (message.type === 'records') this.onRecords(message)
      else if (message.type === 'done') this.done = message
      else if (message.type === 'error') this.errors.push(message.message)
      else {
        this.end = message
        this.#exit()
      }
    })
    this.on('error', (error) => {
      this.errors.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
    })
    this.on('exit', () => this.#exit())
  }

  post(command: WorkerCommand): void {
    this.postMessage(command)
  }

  #exit(): void {
    this.#ready.resolve()
    this.#exited.resolve()
  }
}

/**
 * Size of the young generation. A scavenge of V8's default of 16 MB delays the timestamps of reads by 8 to
 * 20 ms; V8 uses a third of it for new objects.
 */
const maxYoungGenerationSizeMb = 6
/**
 * Initial heap. With V8's small default, a full collection runs every four seconds and takes 5 to
 * 17 ms; with 256, 500 streams take 290 MB after a minute, and with this 190, at the same precision.
 * The flag applies to heaps created later: those of the workers.
 */
const initialHeapMb = 48

/** A checkout runs the source, the package the compiled files. */
const workerFile = new URL(
  import.meta.url.endsWith('.js') ? './worker.js' : './worker.ts',
  import.meta.url,
)
