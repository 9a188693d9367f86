import { asString, isObject, type OperationId, operations } from '../../../contract/index.ts'
import type { Passage } from '../../../fixtures/content/passages.ts'
import { sleep } from '../clock.ts'
import type { Channel } from '../http/channel.ts'
import { type RequestSpec, wireRequest } from '../http/wire-request.ts'
import type { MixEntry } from '../plan/mix.ts'
import type { Arrival } from '../plan/plan.ts'
import type { RequestRecord, RequestResult } from '../record.ts'
import type { ChatPool } from '../setup/chat-pool.ts'
import { endpointOf, type LoadEndpoint, type LoadTarget } from '../target.ts'
import { InFlightRequest } from './in-flight-request.ts'
import type { PlannedRequest } from './record-builder.ts'
import { assertOpen, type WorkerContext } from './worker-context.ts'

/** One request of a transaction. */
export interface StepSpec extends Pick<RequestSpec, 'query' | 'json' | 'headers'> {
  readonly operation: OperationId
  readonly form: 'stream' | 'json'
}

interface SendOptions {
  /** Another request with the same idempotency key is sent at the same time. */
  readonly race?: boolean
  /** True for the other request of the race. */
  readonly duplicate?: boolean
  /** Channel to use instead of the next free one. */
  readonly channel?: Channel
}

/** Runs one transaction over the connections of its worker. */
export class TransactionRunner {
  readonly arrival: Arrival
  readonly entry: MixEntry
  readonly target: LoadTarget
  readonly passages: readonly Passage[]
  readonly chats: ChatPool
  readonly #context: WorkerContext
  /** Due time of the next request, in nanoseconds of the run. */
  #dueNs: number
  #step = 0
  #earlier: RequestRecord['earlier']

  constructor(context: WorkerContext, arrival: Arrival, entry: MixEntry, dueNs: number) {
    this.arrival = arrival
    this.entry = entry
    this.target = context.target
    this.passages = context.passages
    this.chats = context.chats
    this.#context = context
    this.#dueNs = dueNs
  }

  /** Sends the next request; it is due now, or at the end of the last pause. */
  async send(step: StepSpec): Promise<RequestResult> {
    const result = await this.#sendRequest(step)
    this.#dueNs = this.#context.clock.now()
    return result
  }

  /** Sends the same request twice at the same time. */
  async sendTwice(step: StepSpec): Promise<readonly [RequestResult, RequestResult]> {
    const [first, second] = await this.#raceChannels(step)
    // A connection that is not open yet would delay one of the two requests.
    await Promise.all([first.settled, second.settled])
    try {
      assertOpen(this.#context)
    } catch (error) {
      first.abandon()
      second.abandon()
      throw error
    }
    const results = await Promise.all([
      this.#sendRequest(step, { race: true, channel: first }),
      this.#sendRequest(step, { race: true, duplicate: true, channel: second }),
    ])
    this.#dueNs = this.#context.clock.now()
    return results
  }

  /** One channel for each request of a race, before either is sent. */
  async #raceChannels(step: StepSpec): Promise<readonly [Channel, Channel]> {
    const own = this.#endpointIndex(step, this.#step)
    const other = this.#endpointIndex(step, this.#step + 1)
    const { channels } = this.#endpointAt(own)
    if (own === other) {
      return new Promise((use) => channels.acquire((a, b) => use([a, b]), { count: 2 }))
    }
    const acquire = (index: number) =>
      new Promise<Channel>((use) => this.#endpointAt(index).channels.acquire(use))
    // In the same order for all races, so that no two wait for each other.
    const lower = await acquire(Math.min(own, other))
    const upper = await acquire(Math.max(own, other))
    return own < other ? [lower, upper] : [upper, lower]
  }

  /** Think time of a user, in nanoseconds. */
  async pause(ns: number): Promise<void> {
    this.#dueNs = this.#context.clock.now() + ns
    await sleep(Math.ceil(ns / 1e6), this.#context.signal)
  }

  /** Takes a prepared chat; without one, its creation is part of the transaction. */
  async freshChat(): Promise<string | undefined> {
    const { chats } = this
    const prepared = chats.freshChat()
    if (prepared !== undefined) return prepared
    const json = chats.newChatBody()
    const created = await this.send({ operation: 'v3.createChat', form: 'json', json })
    const { outcome, endpoint = 0 } = created.record
    return outcome.kind === 'ok' ? chats.registerChat(created.json, json, endpoint) : undefined
  }

  /**
   * Records the outcome of an idempotency race.
   * @param turns of the user in the history; null if it cannot be read
   */
  recordRace(turns: number | null, history: RequestResult): void {
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
      atMs: (timestamps.ended ?? timestamps.dispatched) / 1e6,
      event: null,
      why: `Two requests with one Idempotency-Key created ${turns} turns in the history.`,
      requestId: this.#requestId(step),
    })
  }

  #sendRequest(
    step: StepSpec,
    { race = false, duplicate = false, channel }: SendOptions = {},
  ): Promise<RequestResult> {
    const context = this.#context
    assertOpen(context)
    const position = this.#step
    this.#step += 1
    const requestId = this.#requestId(position)
    const { method, path, surface } = operations[step.operation]
    const endpoint = this.#endpointIndex(step, position)
    const { target, channels } = this.#endpointAt(endpoint)
    const request = wireRequest({ surface, method, path, ...step }, target, requestId)
    const { index, nonce, clientBehavior, intensity } = this.arrival
    const plan: PlannedRequest = {
      head: {
        index,
        step: position,
        transaction: this.entry.name,
        surface,
        ...(context.endpoints.length > 1 ? { endpoint } : {}),
      },
      operation: step.operation,
      form: step.form,
      request,
      json: step.json,
      planned: this.#dueNs,
      dispatched: context.clock.now(),
      nonce,
      noncePrefix: context.noncePrefix,
      // Only a generated answer can be abandoned in its middle.
      clientBehavior:
        'generates' in operations[step.operation] && !race ? clientBehavior : 'normal',
      intensity,
      requestId,
      race,
      duplicate,
    }
    return new Promise((resolve, reject) => {
      const inFlight: InFlightRequest = new InFlightRequest(plan, context, {
        onResult: (settled) => {
          const result = this.#withEarlier(settled)
          context.inFlight.delete(inFlight)
          context.records.push(result.record)
          resolve(result)
        },
        onError: (error) => {
          context.inFlight.delete(inFlight)
          reject(error)
        },
      })
      context.inFlight.add(inFlight)
      if (channel === undefined) inFlight.startOn(channels)
      else inFlight.start(channel)
    })
  }

  /** Adds the worst end of the earlier requests, so that a transaction with several failures counts once. */
  #withEarlier({ record, ...rest }: RequestResult): RequestResult {
    const earlier = this.#earlier
    if ('detail' in record.outcome) this.#earlier = 'failed'
    else if (record.outcome.kind === 'open') this.#earlier ??= 'open'
    return { ...rest, record: earlier === undefined ? record : { ...record, earlier } }
  }

  #endpointIndex(step: StepSpec, position: number): number {
    const { endpoints } = this.target
    if (endpoints === undefined) return 0
    // The chat that the request is about.
    const chat = asString(isObject(step.json) ? step.json['chat_id'] : step.query?.['chat_id'])
    const home = chat === undefined ? undefined : this.chats.homeOf(chat)
    const request = { ...this.arrival, step: position, chat, home }
    return endpointOf(endpoints.spread, endpoints.list.length, request)
  }

  #endpointAt(index: number): LoadEndpoint {
    const endpoint = this.#context.endpoints[index]
    if (endpoint === undefined) throw new RangeError(`the target has no endpoint ${index}`)
    return endpoint
  }

  #requestId(step: number): string {
    return `${this.target.tag}/${this.arrival.index}.${step}`
  }
}
