import { setMaxListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RunClock } from '../clock.ts'
import {
  type Arrival,
  arrivals,
  isOwnArrival,
  noncePrefix,
  type Part,
  type PlanSpec,
} from '../plan/plan.ts'
import { transactions } from '../transactions/index.ts'
import { sleep } from './sleep.ts'
import { TransactionRunner } from './transaction-runner.ts'
import { RunEndedError, type WorkerContext } from './worker-context.ts'

export interface SchedulerOptions {
  readonly spec: PlanSpec
  readonly part: Part
  /** After the end of the plan, for what is in flight. */
  readonly drainNs: number
  readonly maxInFlight: number
}

/** Paces the transactions of one thread. The open loop never waits for an answer. */
export class Scheduler {
  readonly #options: SchedulerOptions
  readonly #context: WorkerContext
  readonly #clock: RunClock
  readonly #stop = new AbortController()
  readonly #onError: (error: unknown) => void
  readonly #noncePrefix: string
  #running = 0

  constructor(options: SchedulerOptions, crew: WorkerContext, fault: (error: unknown) => void) {
    this.#options = options
    this.#noncePrefix = noncePrefix(options.spec.seed)
    this.#context = crew
    this.#clock = crew.clock
    this.#onError = fault
    setMaxListeners(0, this.#stop.signal)
  }

  /** Resolves when every request has landed, at the latest when the drain is over. */
  async run(): Promise<void> {
    const { spec, drainNs } = this.#options
    const paced = spec.arrival.kind === 'closed' ? this.#closedLoop() : this.#openLoop()
    await Promise.race([paced, this.#sleepUntil(spec.durationNs)])
    await this.#sleepUntil(spec.durationNs)
    this.#context.close()
    while (this.#running > 0 && !this.#stopped && this.#clock.now() < spec.durationNs + drainNs) {
      await this.#sleepUntil(this.#clock.now() + 20e6)
    }
    this.#context.stopInFlight()
  }

  /** Ends the run now; what is in flight is cut off. */
  stop(): void {
    this.#context.close()
    this.#stop.abort()
  }

  get #stopped(): boolean {
    return this.#stop.signal.aborted
  }

  async #openLoop(): Promise<void> {
    for (const arrival of this.#ownArrivals()) {
      const { plannedNs } = arrival
      if (plannedNs === null) return
      if (plannedNs > this.#clock.now()) await this.#sleepUntil(plannedNs)
      if (this.#stopped) return
      void this.#runTransaction(arrival, plannedNs)
    }
  }

  async #closedLoop(): Promise<void> {
    const { spec, part } = this.#options
    if (spec.arrival.kind !== 'closed') return
    const own = this.#ownArrivals()
    const clients = partOf(spec.arrival.concurrency, part)
    const client = async () => {
      while (!this.#stopped && this.#clock.now() < spec.durationNs) {
        const { value } = own.next()
        if (value === undefined) return
        await this.#runTransaction(value, Math.max(0, this.#clock.now()))
      }
    }
    await this.#sleepUntil(0)
    const running: Promise<void>[] = []
    for (let at = 0; at < clients; at += 1) {
      running.push(client())
      // All at once they would keep the loop from stamping what the first of them are answered.
      if (at % batchSize === batchSize - 1) await nextTurn()
    }
    await Promise.all(running)
  }

  *#ownArrivals(): Generator<Arrival, void> {
    for (const arrival of arrivals(this.#options.spec)) {
      if (isOwnArrival(arrival, this.#options.part)) yield arrival
    }
  }

  async #runTransaction(arrival: Arrival, due: number): Promise<void> {
    const { spec, maxInFlight } = this.#options
    const entry = spec.mix.entries[arrival.entry]
    if (entry === undefined) return
    if (this.#running >= maxInFlight) {
      this.#context.recordDropped(due, entry.name)
      return
    }
    this.#running += 1
    const speaker = new TransactionRunner(this.#context, arrival, entry, {
      dueNs: due,
      noncePrefix: this.#noncePrefix,
      signal: this.#stop.signal,
    })
    try {
      await transactions[entry.kind](speaker)
    } catch (error) {
      if (!(error instanceof RunEndedError)) this.#onError(error)
    } finally {
      this.#running -= 1
    }
  }

  /** Timers of the runtime are exact to a millisecond; the delay is in every response time. */
  async #sleepUntil(ns: number): Promise<void> {
    for (let wait = ns - this.#clock.now(); wait > 0; wait = ns - this.#clock.now()) {
      if (this.#stopped) return
      await sleep(Math.ceil(wait / 1e6), this.#stop.signal)
    }
  }
}

const batchSize = 10

function partOf(total: number, { index, of }: Part): number {
  return Math.floor(total / of) + (index < total % of ? 1 : 0)
}
