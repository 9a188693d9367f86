import type { Passage } from '../../../fixtures/content/passages.ts'
import type { RunClock } from '../clock.ts'
import type { BufferUsage } from '../http/answer-body.ts'
import { DecodeGate } from '../http/answer-body.ts'
import type { IntegrityRecorder } from '../judging/integrity-recorder.ts'
import type { RequestRecord, RequestResult } from '../record.ts'
import type { ChatPool } from '../setup/chat-pool.ts'
import type { LoadEndpoint, LoadTarget } from '../target.ts'
import type { InFlightRequest } from './in-flight-request.ts'

/** The run ended while a transaction had further requests. */
export class RunEndedError extends Error {
  override readonly name = 'RunEndedError'
}

/** A due arrival that was not sent because the limit of transactions in flight was reached. */
export type DroppedArrival = readonly [plannedNs: number, transaction: string]

/** Interval of the check for timed-out requests. */
const timeoutCheckMs = 250

/** State that all transactions of a worker share. */
export class WorkerContext {
  readonly clock: RunClock
  readonly target: LoadTarget
  readonly endpoints: readonly LoadEndpoint[]
  readonly chats: ChatPool
  readonly integrity: IntegrityRecorder
  readonly passages: readonly Passage[]
  readonly buffers: BufferUsage = { bytes: 0 }
  readonly decodeGate = new DecodeGate()
  #closed = false
  readonly #inFlight = new Set<InFlightRequest>()
  readonly #records: RequestRecord[] = []
  readonly #dropped: DroppedArrival[] = []
  readonly #timeoutCheck: NodeJS.Timeout

  constructor(
    parts: Pick<
      WorkerContext,
      'clock' | 'target' | 'endpoints' | 'chats' | 'integrity' | 'passages'
    >,
  ) {
    this.clock = parts.clock
    this.target = parts.target
    this.endpoints = parts.endpoints
    this.chats = parts.chats
    this.integrity = parts.integrity
    this.passages = parts.passages
    this.#timeoutCheck = setInterval(() => this.#timeOutSilent(), timeoutCheckMs)
    this.#timeoutCheck.unref()
  }

  /** Number of requests in flight. */
  get inFlight(): number {
    return this.#inFlight.size
  }

  /** @throws RunEndedError after `close` */
  assertOpen(): void {
    if (this.#closed) throw new RunEndedError('the run is over')
  }

  register(request: InFlightRequest): void {
    this.#inFlight.add(request)
  }

  /** Removes a request that an internal error kept from settling. */
  unregister(request: InFlightRequest): void {
    this.#inFlight.delete(request)
  }

  complete(request: InFlightRequest, { record }: RequestResult): void {
    this.#inFlight.delete(request)
    this.#records.push(record)
  }

  /** Returns the records since the last call. */
  drainRecords(): RequestRecord[] {
    return this.#records.splice(0)
  }

  recordDropped(plannedNs: number, transaction: string): void {
    this.#dropped.push([plannedNs, transaction])
  }

  /** Returns the dropped arrivals since the last call. */
  drainDropped(): DroppedArrival[] {
    return this.#dropped.splice(0)
  }

  /** Refuses further requests; those in flight go on. */
  close(): void {
    this.#closed = true
  }

  /** Ends all requests in flight, which settle as open. */
  endInFlight(): void {
    clearInterval(this.#timeoutCheck)
    const at = this.clock.now()
    for (const request of this.#inFlight) request.endRun(at)
  }

  #timeOutSilent(): void {
    const at = this.clock.now()
    const oldest = at - this.target.timeoutMs * 1e6
    for (const request of this.#inFlight) {
      if (request.record.lastActivity < oldest) request.timeout(at)
    }
  }
}
