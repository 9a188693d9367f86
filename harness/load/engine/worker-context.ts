import type { RunClock } from '../clock.ts'
import type { BufferUsage } from '../http/answer-limits.ts'
import type { ChannelPool } from '../http/channel.ts'
import { DecodeGate } from '../http/encoded-body.ts'
import type { IntegrityRecorder } from '../judging/integrity-recorder.ts'
import type { RequestRecord } from '../record.ts'
import type { ChatPool } from '../setup/chat-pool.ts'
import type { LoadTarget } from '../target.ts'
import type { InFlightRequest, RequestResult } from './in-flight-request.ts'

/** The run is over while a transaction still had something to send. */
export class RunEndedError extends Error {
  override readonly name = 'RunOverError'
}

export type DroppedArrival = readonly [plannedNs: number, transaction: string]

/** How often silent requests are looked for. */
const timeoutCheckMs = 250

/** What all transactions of a thread share. */
export class WorkerContext {
  readonly clock: RunClock
  readonly target: LoadTarget
  readonly channels: ChannelPool
  readonly chats: ChatPool
  readonly integrity: IntegrityRecorder
  readonly buffers: BufferUsage = { bytes: 0 }
  readonly decodeGate = new DecodeGate()
  #closed = false
  #inFlight = new Set<InFlightRequest>()
  #records: RequestRecord[] = []
  #dropped: DroppedArrival[] = []
  readonly #timeoutCheck: NodeJS.Timeout

  constructor(parts: Pick<WorkerContext, 'clock' | 'target' | 'channels' | 'chats' | 'integrity'>) {
    this.clock = parts.clock
    this.target = parts.target
    this.channels = parts.channels
    this.chats = parts.chats
    this.integrity = parts.integrity
    this.#timeoutCheck = setInterval(() => this.#timeOutSilent(), timeoutCheckMs)
    this.#timeoutCheck.unref()
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  /** @throws RunOverError where nothing may be sent any more */
  assertOpen(): void {
    if (this.#closed) throw new RunEndedError('the run is over')
  }

  register(flight: InFlightRequest): void {
    this.#inFlight.add(flight)
  }

  /** An error of the kit kept it from landing. */
  unregister(flight: InFlightRequest): void {
    this.#inFlight.delete(flight)
  }

  complete(flight: InFlightRequest, { record }: RequestResult): void {
    this.#inFlight.delete(flight)
    this.#records.push(record)
  }

  /** The records since the last call. */
  drainRecords(): RequestRecord[] {
    const records = this.#records
    this.#records = []
    return records
  }

  /** Due, and not sent because too much was in flight already. */
  recordDropped(plannedNs: number, transaction: string): void {
    this.#dropped.push([plannedNs, transaction])
  }

  drainDropped(): DroppedArrival[] {
    const passed = this.#dropped
    this.#dropped = []
    return passed
  }

  /** Nothing more is sent. */
  close(): void {
    this.#closed = true
  }

  stopInFlight(): void {
    clearInterval(this.#timeoutCheck)
    const at = this.clock.now()
    for (const flight of this.#inFlight) flight.stop(at)
  }

  #timeOutSilent(): void {
    const at = this.clock.now()
    const oldest = at - this.target.timeoutMs * 1e6
    for (const flight of this.#inFlight)
      if (flight.timings.lastActivity < oldest) flight.timeout(at)
  }
}
