import { operations } from '../../../contract/index.ts'
import type { Channel } from '../http/channel.ts'
import { wireRequest } from '../http/wire-form.ts'
import type { MixEntry } from '../plan/mix.ts'
import type { Arrival } from '../plan/plan.ts'
import { type Draw, drawsOf, hashText } from '../plan/random.ts'
import type { LoadTarget } from '../target.ts'
import type { RaceOutcome, Speaker, StepSpec } from '../transactions/index.ts'
import type { Crew } from './crew.ts'
import { Flight, type FlightPlan, type Landing } from './flight.ts'
import { sleep } from './sleep.ts'

export interface Circumstances {
  /** When the first request is due, in nanoseconds of the run. */
  readonly due: number
  readonly noncePrefix: string
  /** Ends pauses. */
  readonly signal: AbortSignal
}

interface LaunchOptions {
  /** Another request with the same idempotency key leaves at the same time. */
  readonly race?: boolean
  /** It is that other request. */
  readonly twin?: boolean
  readonly over?: Channel
}

/** Speaks for one transaction over the connections of its thread. */
export class WireSpeaker implements Speaker {
  readonly arrival: Arrival
  readonly entry: MixEntry
  readonly #crew: Crew
  readonly #circumstances: Circumstances
  readonly #draw: Draw
  #due: number
  #step = 0

  constructor(crew: Crew, arrival: Arrival, entry: MixEntry, circumstances: Circumstances) {
    this.arrival = arrival
    this.entry = entry
    this.#crew = crew
    this.#circumstances = circumstances
    this.#due = circumstances.due
    this.#draw = drawsOf(hashText(`${arrival.nonce}/identifiers`), arrival.index)
  }

  get target(): LoadTarget {
    return this.#crew.target
  }

  async send(step: StepSpec): Promise<Landing> {
    const landing = await this.#launch(step)
    this.#due = this.#crew.clock.now()
    return landing
  }

  async sendTwice(step: StepSpec): Promise<readonly [Landing, Landing]> {
    const { channels } = this.#crew
    const [one, other] = [channels.take(), channels.take()]
    // A connection that is still to be made would give the other request a start.
    await Promise.all([one.settled, other.settled])
    const landings = await Promise.all([
      this.#launch(step, { race: true, over: one }),
      this.#launch(step, { race: true, twin: true, over: other }),
    ])
    this.#due = this.#crew.clock.now()
    return landings
  }

  async pause(ns: number): Promise<void> {
    this.#due = this.#crew.clock.now() + ns
    await sleep(Math.ceil(ns / 1e6), this.#circumstances.signal)
  }

  /** Where no chat was prepared for it, making one is part of the transaction. */
  async chat(): Promise<string | undefined> {
    const { chats } = this.#crew
    const prepared = chats.take()
    if (prepared !== undefined) return prepared
    const made = await this.send({ operation: 'v3.createChat', form: 'json', json: chats.body() })
    return made.record.outcome.kind === 'ok' ? chats.made(made.json) : undefined
  }

  async v2Chat(): Promise<string | undefined> {
    return this.#crew.chats.v2()
  }

  async historyChat(): Promise<string | undefined> {
    return this.#crew.chats.history()
  }

  /** Version 4 by its form (RFC 9562), from the seed by its content. */
  uuid(): string {
    const hex = Array.from({ length: 32 }, () => Math.floor(this.#draw() * 16).toString(16))
    hex[12] = '4'
    hex[16] = '89ab'[Math.floor(this.#draw() * 4)] ?? '8'
    const text = hex.join('')
    return [0, 8, 12, 16, 20]
      .map((from, at, starts) => text.slice(from, starts[at + 1] ?? 32))
      .join('-')
  }

  race({ turns, landing }: RaceOutcome): void {
    const { races } = this.#crew.ledger.counts
    races.races += 1
    if (turns === null || turns === 0) {
      races.unreadable += 1
      return
    }
    if (turns === 1) {
      this.#crew.ledger.row('V3-IDEM-05', null)
      return
    }
    races.doubled += 1
    const { index, step, operation, stamps } = landing.record
    this.#crew.ledger.row('V3-IDEM-05', {
      index,
      step,
      operation,
      atNs: stamps.ended ?? stamps.dispatched,
      event: null,
      why: `Two requests with one Idempotency-Key left ${turns} turns in the history.`,
      requestId: this.#requestId(step),
    })
  }

  #launch(
    step: StepSpec,
    { race = false, twin = false, over }: LaunchOptions = {},
  ): Promise<Landing> {
    const crew = this.#crew
    crew.admit()
    const at = this.#step
    this.#step += 1
    const requestId = this.#requestId(at)
    const { method, path, surface } = operations[step.operation]
    const request = wireRequest({ surface, method, path, ...step }, crew.target, requestId)
    const { index, nonce, manner, degree } = this.arrival
    const plan: FlightPlan = {
      index,
      step: at,
      transaction: this.entry.name,
      surface,
      operation: step.operation,
      form: step.form,
      request,
      json: step.json,
      planned: this.#due,
      dispatched: crew.clock.now(),
      nonce,
      noncePrefix: this.#circumstances.noncePrefix,
      // Only what is generated can be left in its middle.
      manner: 'generates' in operations[step.operation] && !race ? manner : 'good',
      degree,
      requestId,
      race,
      twin,
    }
    return new Promise((resolve, reject) => {
      const flight: Flight = new Flight(plan, crew, {
        landed: (landing) => {
          crew.landed(flight, landing)
          resolve(landing)
        },
        broke: (error) => {
          crew.lost(flight)
          reject(error)
        },
      })
      crew.took(flight)
      const { channels } = crew
      const launch = (channel: Channel) => flight.launch(channel)
      if (over !== undefined) launch(over)
      else if (plan.manner === 'churn') launch(channels.fresh())
      else channels.lend(launch)
    })
  }

  #requestId(step: number): string {
    return `${this.target.tag}/${this.arrival.index}.${step}`
  }
}
