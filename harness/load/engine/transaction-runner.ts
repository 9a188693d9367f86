import { operations } from '../../../contract/index.ts'
import type { Channel } from '../http/channel.ts'
import { wireRequest } from '../http/wire-request.ts'
import type { MixEntry } from '../plan/mix.ts'
import type { Arrival } from '../plan/plan.ts'
import { type Draw, drawsOf, hashText } from '../plan/random.ts'
import type { LoadTarget } from '../target.ts'
import type { RaceOutcome, Speaker, StepSpec } from '../transactions/index.ts'
import { InFlightRequest, type PlannedRequest, type RequestResult } from './in-flight-request.ts'
import { sleep } from './sleep.ts'
import type { WorkerContext } from './worker-context.ts'

export interface RunnerOptions {
  /** When the first request is due, in nanoseconds of the run. */
  readonly dueNs: number
  readonly noncePrefix: string
  /** Ends pauses. */
  readonly signal: AbortSignal
}

interface SendOptions {
  /** Another request with the same idempotency key leaves at the same time. */
  readonly race?: boolean
  /** It is that other request. */
  readonly duplicate?: boolean
  readonly channel?: Channel
}

/** Speaks for one transaction over the connections of its thread. */
export class TransactionRunner implements Speaker {
  readonly arrival: Arrival
  readonly entry: MixEntry
  readonly #context: WorkerContext
  readonly #options: RunnerOptions
  readonly #draw: Draw
  #dueNs: number
  #step = 0

  constructor(
    crew: WorkerContext,
    arrival: Arrival,
    entry: MixEntry,
    circumstances: RunnerOptions,
  ) {
    this.arrival = arrival
    this.entry = entry
    this.#context = crew
    this.#options = circumstances
    this.#dueNs = circumstances.dueNs
    this.#draw = drawsOf(hashText(`${arrival.nonce}/identifiers`), arrival.index)
  }

  get target(): LoadTarget {
    return this.#context.target
  }

  async send(step: StepSpec): Promise<RequestResult> {
    const landing = await this.#sendRequest(step)
    this.#dueNs = this.#context.clock.now()
    return landing
  }

  async sendTwice(step: StepSpec): Promise<readonly [RequestResult, RequestResult]> {
    const { channels } = this.#context
    const [one, other] = [channels.acquire(), channels.acquire()]
    // A connection that is still to be made would give the other request a start.
    await Promise.all([one.settled, other.settled])
    const landings = await Promise.all([
      this.#sendRequest(step, { race: true, channel: one }),
      this.#sendRequest(step, { race: true, duplicate: true, channel: other }),
    ])
    this.#dueNs = this.#context.clock.now()
    return landings
  }

  async pause(ns: number): Promise<void> {
    this.#dueNs = this.#context.clock.now() + ns
    await sleep(Math.ceil(ns / 1e6), this.#options.signal)
  }

  /** Where no chat was prepared for it, making one is part of the transaction. */
  async freshChat(): Promise<string | undefined> {
    const { chats } = this.#context
    const prepared = chats.freshChat()
    if (prepared !== undefined) return prepared
    const made = await this.send({
      operation: 'v3.createChat',
      form: 'json',
      json: chats.newChatBody(),
    })
    return made.record.outcome.kind === 'ok' ? chats.registerChat(made.json) : undefined
  }

  async v2Chat(): Promise<string | undefined> {
    return this.#context.chats.v2Chat()
  }

  async historyChat(): Promise<string | undefined> {
    return this.#context.chats.historyChat()
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

  recordRace({ turns, history }: RaceOutcome): void {
    const { races } = this.#context.integrity.counts
    races.races += 1
    if (turns === null || turns === 0) {
      races.unreadable += 1
      return
    }
    if (turns === 1) {
      this.#context.integrity.recordRequirement('V3-IDEM-05', null)
      return
    }
    races.doubled += 1
    const { index, step, operation, timestamps } = history.record
    this.#context.integrity.recordRequirement('V3-IDEM-05', {
      index,
      step,
      operation,
      atNs: timestamps.ended ?? timestamps.dispatched,
      event: null,
      why: `Two requests with one Idempotency-Key left ${turns} turns in the history.`,
      requestId: this.#requestId(step),
    })
  }

  #sendRequest(
    step: StepSpec,
    { race = false, duplicate = false, channel }: SendOptions = {},
  ): Promise<RequestResult> {
    const crew = this.#context
    crew.assertOpen()
    const at = this.#step
    this.#step += 1
    const requestId = this.#requestId(at)
    const { method, path, surface } = operations[step.operation]
    const request = wireRequest({ surface, method, path, ...step }, crew.target, requestId)
    const { index, nonce, clientBehavior, intensity } = this.arrival
    const plan: PlannedRequest = {
      index,
      step: at,
      transaction: this.entry.name,
      surface,
      operation: step.operation,
      form: step.form,
      request,
      json: step.json,
      planned: this.#dueNs,
      dispatched: crew.clock.now(),
      nonce,
      noncePrefix: this.#options.noncePrefix,
      // Only what is generated can be left in its middle.
      clientBehavior: 'generates' in operations[step.operation] && !race ? clientBehavior : 'good',
      intensity,
      requestId,
      race,
      duplicate,
    }
    return new Promise((resolve, reject) => {
      const flight: InFlightRequest = new InFlightRequest(plan, crew, {
        onResult: (landing) => {
          crew.complete(flight, landing)
          resolve(landing)
        },
        broke: (error) => {
          crew.unregister(flight)
          reject(error)
        },
      })
      crew.register(flight)
      const { channels } = crew
      const launch = (channel: Channel) => flight.start(channel)
      if (channel !== undefined) launch(channel)
      else if (plan.clientBehavior === 'churn') launch(channels.dedicated())
      else channels.whenAvailable(launch)
    })
  }

  #requestId(step: number): string {
    return `${this.target.tag}/${this.arrival.index}.${step}`
  }
}
