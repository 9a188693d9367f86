import type { Passage } from '../../../fixtures/content/passages.ts'
import type { RunClock } from '../clock.ts'
import { DecodeGate } from '../http/answer-body.ts'
import type { IntegrityRecorder } from '../judging/integrity-recorder.ts'
import type { RequestRecord } from '../record.ts'
import type { ChatPool } from '../setup/chat-pool.ts'
import type { LoadEndpoint, LoadTarget } from '../target.ts'

/** The run ended while a transaction had further requests. */
export class RunEndedError extends Error {
  override readonly name = 'RunEndedError'
}

/** A due arrival that was not sent because the limit of transactions in flight was reached. */
export type DroppedArrival = readonly [plannedNs: number, transaction: string]

/** A request in flight, as the scheduler ends it. */
interface OpenRequest {
  readonly record: { readonly lastActivity: number }
  timeout(at: number): void
  endRun(at: number): void
}

/** State that all transactions of a worker share. */
export type WorkerContext = ReturnType<typeof workerContext>

interface ContextParts {
  readonly clock: RunClock
  readonly target: LoadTarget
  readonly endpoints: readonly LoadEndpoint[]
  readonly chats: ChatPool
  readonly integrity: IntegrityRecorder
  readonly passages: readonly Passage[]
  /** Beginning of all nonces of the run. */
  readonly noncePrefix: string
  /** Ends the run now; requests in flight settle as open. */
  readonly signal: AbortSignal
}

export function workerContext(parts: ContextParts) {
  const records: RequestRecord[] = []
  const dropped: DroppedArrival[] = []
  return {
    ...parts,
    buffers: { bytes: 0 },
    decodeGate: new DecodeGate(),
    inFlight: new Set<OpenRequest>(),
    /** Settled requests and dropped arrivals that are not reported yet. */
    records,
    dropped,
    /** True once no further request may be sent; those in flight go on. */
    isClosed: false,
  }
}

/** @throws RunEndedError once no further request may be sent */
export function assertOpen({ isClosed, signal }: WorkerContext): void {
  if (isClosed || signal.aborted) throw new RunEndedError('the run is over')
}
