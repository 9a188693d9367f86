import type { AnswerHold } from '../http/answer-limits.ts'
import type { Channels } from '../http/channel.ts'
import { DecodeGate } from '../http/coded-body.ts'
import type { IntegrityLedger } from '../judging/integrity-ledger.ts'
import type { RequestRecord } from '../record.ts'
import type { Chats } from '../setup/chats.ts'
import type { LoadTarget } from '../target.ts'
import type { RunClock } from './clock.ts'
import type { Flight, Landing } from './flight.ts'

/** The run is over while a transaction still had something to send. */
export class RunOverError extends Error {
  override readonly name = 'RunOverError'
}

export type NotDispatched = readonly [plannedNs: number, transaction: string]

/** How often silent requests are looked for. */
const sweepMs = 250

/** What all transactions of a thread share. */
export class Crew {
  readonly clock: RunClock
  readonly target: LoadTarget
  readonly channels: Channels
  readonly chats: Chats
  readonly ledger: IntegrityLedger
  readonly hold: AnswerHold = { bytes: 0 }
  readonly gate = new DecodeGate()
  #closed = false
  #flights = new Set<Flight>()
  #records: RequestRecord[] = []
  #notDispatched: NotDispatched[] = []
  readonly #sweep: NodeJS.Timeout

  constructor(parts: Pick<Crew, 'clock' | 'target' | 'channels' | 'chats' | 'ledger'>) {
    this.clock = parts.clock
    this.target = parts.target
    this.channels = parts.channels
    this.chats = parts.chats
    this.ledger = parts.ledger
    this.#sweep = setInterval(() => this.#giveUpSilent(), sweepMs)
    this.#sweep.unref()
  }

  get inFlight(): number {
    return this.#flights.size
  }

  /** @throws RunOverError where nothing may be sent any more */
  admit(): void {
    if (this.#closed) throw new RunOverError('the run is over')
  }

  took(flight: Flight): void {
    this.#flights.add(flight)
  }

  /** An error of the kit kept it from landing. */
  lost(flight: Flight): void {
    this.#flights.delete(flight)
  }

  landed(flight: Flight, { record }: Landing): void {
    this.#flights.delete(flight)
    this.#records.push(record)
  }

  /** The records since the last call. */
  takeRecords(): RequestRecord[] {
    const records = this.#records
    this.#records = []
    return records
  }

  /** Due, and not sent because too much was in flight already. */
  passOver(plannedNs: number, transaction: string): void {
    this.#notDispatched.push([plannedNs, transaction])
  }

  takeNotDispatched(): NotDispatched[] {
    const passed = this.#notDispatched
    this.#notDispatched = []
    return passed
  }

  /** Nothing more is sent. */
  close(): void {
    this.#closed = true
  }

  cutOff(): void {
    clearInterval(this.#sweep)
    const at = this.clock.now()
    for (const flight of this.#flights) flight.cutOff(at)
  }

  #giveUpSilent(): void {
    const at = this.clock.now()
    const oldest = at - this.target.timeoutMs * 1e6
    for (const flight of this.#flights) if (flight.watch.lastSign < oldest) flight.timeout(at)
  }
}
