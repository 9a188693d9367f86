import { setMaxListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type Arrival,
  arrivals,
  isOwn,
  noncePrefix,
  type Part,
  type PlanSpec,
} from '../plan/plan.ts'
import { transactions } from '../transactions/index.ts'
import type { RunClock } from './clock.ts'
import { type Crew, RunOverError } from './crew.ts'
import { sleep } from './sleep.ts'
import { WireSpeaker } from './wire-speaker.ts'

export interface DriverOptions {
  readonly spec: PlanSpec
  readonly part: Part
  /** After the end of the plan, for what is in flight. */
  readonly drainNs: number
  readonly mostInFlight: number
}

/** Paces the transactions of one thread. The open loop never waits for an answer. */
export class Driver {
  readonly #options: DriverOptions
  readonly #crew: Crew
  readonly #clock: RunClock
  readonly #stop = new AbortController()
  readonly #fault: (error: unknown) => void
  readonly #noncePrefix: string
  #running = 0

  constructor(options: DriverOptions, crew: Crew, fault: (error: unknown) => void) {
    this.#options = options
    this.#noncePrefix = noncePrefix(options.spec.seed)
    this.#crew = crew
    this.#clock = crew.clock
    this.#fault = fault
    setMaxListeners(0, this.#stop.signal)
  }

  /** Resolves when every request has landed, at the latest when the drain is over. */
  async run(): Promise<void> {
    const { spec, drainNs } = this.#options
    const paced = spec.arrival.kind === 'closed' ? this.#closedLoop() : this.#openLoop()
    await Promise.race([paced, this.#until(spec.durationNs)])
    await this.#until(spec.durationNs)
    this.#crew.close()
    while (this.#running > 0 && !this.#stopped && this.#clock.now() < spec.durationNs + drainNs) {
      await this.#until(this.#clock.now() + 20e6)
    }
    this.#crew.cutOff()
  }

  /** Ends the run now; what is in flight is cut off. */
  stop(): void {
    this.#crew.close()
    this.#stop.abort()
  }

  get #stopped(): boolean {
    return this.#stop.signal.aborted
  }

  async #openLoop(): Promise<void> {
    for (const arrival of this.#own()) {
      const { plannedNs } = arrival
      if (plannedNs === null) return
      if (plannedNs > this.#clock.now()) await this.#until(plannedNs)
      if (this.#stopped) return
      void this.#transact(arrival, plannedNs)
    }
  }

  async #closedLoop(): Promise<void> {
    const { spec, part } = this.#options
    if (spec.arrival.kind !== 'closed') return
    const own = this.#own()
    const clients = sharedOut(spec.arrival.concurrency, part)
    const client = async () => {
      while (!this.#stopped && this.#clock.now() < spec.durationNs) {
        const { value } = own.next()
        if (value === undefined) return
        await this.#transact(value, Math.max(0, this.#clock.now()))
      }
    }
    await this.#until(0)
    const running: Promise<void>[] = []
    for (let at = 0; at < clients; at += 1) {
      running.push(client())
      // All at once they would keep the loop from stamping what the first of them are answered.
      if (at % begunAtOnce === begunAtOnce - 1) await nextTurn()
    }
    await Promise.all(running)
  }

  *#own(): Generator<Arrival, void> {
    for (const arrival of arrivals(this.#options.spec)) {
      if (isOwn(arrival, this.#options.part)) yield arrival
    }
  }

  async #transact(arrival: Arrival, due: number): Promise<void> {
    const { spec, mostInFlight } = this.#options
    const entry = spec.mix.entries[arrival.entry]
    if (entry === undefined) return
    if (this.#running >= mostInFlight) {
      this.#crew.passOver(due, entry.name)
      return
    }
    this.#running += 1
    const speaker = new WireSpeaker(this.#crew, arrival, entry, {
      due,
      noncePrefix: this.#noncePrefix,
      signal: this.#stop.signal,
    })
    try {
      await transactions[entry.kind](speaker)
    } catch (error) {
      if (!(error instanceof RunOverError)) this.#fault(error)
    } finally {
      this.#running -= 1
    }
  }

  /** Timers of the runtime are exact to a millisecond; the delay is in every response time. */
  async #until(ns: number): Promise<void> {
    for (let wait = ns - this.#clock.now(); wait > 0; wait = ns - this.#clock.now()) {
      if (this.#stopped) return
      await sleep(Math.ceil(wait / 1e6), this.#stop.signal)
    }
  }
}

const begunAtOnce = 10

function sharedOut(total: number, { index, of }: Part): number {
  return Math.floor(total / of) + (index < total % of ? 1 : 0)
}
