import { setMaxListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RunClock } from '../clock.ts'
import { sleep } from '../clock.ts'
import { type Arrival, arrivals, isOwnArrival, noncePrefix, shareOf } from '../plan/plan.ts'
import { transactions } from '../transactions/transactions.ts'
import type { WorkerSetup } from './messages.ts'
import { TransactionRunner } from './transaction-runner.ts'
import { RunEndedError, type WorkerContext } from './worker-context.ts'

type SchedulerOptions = Pick<WorkerSetup, 'spec' | 'part' | 'drainNs' | 'maxInFlight'>

/** Clients of a closed loop that start in one turn of the event loop, so that reads are stamped in between. */
const startBatchSize = 10
/** Interval at which the drain checks for its end. */
const drainCheckNs = 20e6

/** Starts the transactions of one worker at their planned times. The open loop never waits for an answer. */
export class Scheduler {
  readonly #options: SchedulerOptions
  readonly #context: WorkerContext
  readonly #clock: RunClock
  readonly #stop = new AbortController()
  readonly #onError: (error: unknown) => void
  readonly #noncePrefix: string
  #running = 0

  /** @param onError is called with each internal error of a transaction */
  constructor(
    options: SchedulerOptions,
    context: WorkerContext,
    onError: (error: unknown) => void,
  ) {
    this.#options = options
    this.#noncePrefix = noncePrefix(options.spec.seed)
    this.#context = context
    this.#clock = context.clock
    this.#onError = onError
    setMaxListeners(0, this.#stop.signal)
  }

  /** Resolves when every request has settled, at the latest after the drain. */
  async run(): Promise<void> {
    const { spec, drainNs } = this.#options
    if (spec.arrival.kind === 'closed') {
      await Promise.race([this.#closedLoop(), this.#sleepUntil(spec.durationNs)])
    } else {
      // All arrivals are due before the end, but an end timer might fire before that of the last one.
      await this.#openLoop()
    }
    await this.#sleepUntil(spec.durationNs)
    this.#context.close()
    while (this.#running > 0 && !this.#stopped && this.#clock.now() < spec.durationNs + drainNs) {
      await this.#sleepUntil(this.#clock.now() + drainCheckNs)
    }
    this.#context.endInFlight()
  }

  /** Ends the run now; requests in flight settle as open. */
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
    const ownArrivals = this.#ownArrivals()
    const clients = shareOf(spec.arrival.concurrency, part)
    const client = async () => {
      while (!this.#stopped && this.#clock.now() < spec.durationNs) {
        const { value } = ownArrivals.next()
        if (value === undefined) return
        await this.#runTransaction(value, Math.max(0, this.#clock.now()))
      }
    }
    await this.#sleepUntil(0)
    const running: Promise<void>[] = []
    for (let index = 0; index < clients; index += 1) {
      running.push(client())
      if (index % startBatchSize === startBatchSize - 1) await nextTurn()
    }
    await Promise.all(running)
  }

  *#ownArrivals(): Generator<Arrival, void> {
    for (const arrival of arrivals(this.#options.spec)) {
      if (isOwnArrival(arrival, this.#options.part)) yield arrival
    }
  }

  async #runTransaction(arrival: Arrival, dueNs: number): Promise<void> {
    const { spec, maxInFlight } = this.#options
    const entry = spec.mix.entries[arrival.entry]
    if (entry === undefined) return
    if (this.#running >= maxInFlight) {
      this.#context.recordDropped(dueNs, entry.name)
      return
    }
    this.#running += 1
    const runner = new TransactionRunner(this.#context, arrival, entry, {
      dueNs,
      noncePrefix: this.#noncePrefix,
      signal: this.#stop.signal,
    })
    try {
      await transactions[entry.kind](runner)
    } catch (error) {
      if (!(error instanceof RunEndedError)) this.#onError(error)
    } finally {
      this.#running -= 1
    }
  }

  /** Timers of the runtime have a resolution of 1 ms; their delay is part of every response time. */
  async #sleepUntil(ns: number): Promise<void> {
    for (let wait = ns - this.#clock.now(); wait > 0; wait = ns - this.#clock.now()) {
      if (this.#stopped) return
      await sleep(Math.ceil(wait / 1e6), this.#stop.signal)
    }
  }
}
