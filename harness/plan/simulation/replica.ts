import { meanOf } from '../../../contract/averages.ts'
import { type Draw, standardNormal } from '../../load/plan/random.ts'
import { lastWhere } from '../../load/statistics/shares.ts'
import type { RequestLength, SimulatedRequest } from './requests.ts'

/**
 * One replica of the service model. Between two events (an arrival, a place that becomes free) all
 * iterations do the same work, so they are added up at once.
 */
export class Replica {
  readonly #model: ServiceModel
  readonly #requests: readonly SimulatedRequest[]
  readonly #onEnd: (ms: number) => void
  /** Requests by the iteration that gives them their last token: `iteration * idRange + id`. */
  readonly #running = new NumberQueue()
  #waiting: number[] = []
  #firstWaiting = 0
  /** End of the last iteration, and their number. */
  #now = 0
  #iteration = 0
  #finishedNow = 0
  readonly #draw: Draw
  /** Duration of one iteration as a multiple of its mean. */
  #slowness: number

  /**
   * @param requests by id
   * @param onEnd is called with the time at which a request ends
   */
  constructor(
    model: ServiceModel,
    requests: readonly SimulatedRequest[],
    draw: Draw,
    onEnd: (ms: number) => void,
  ) {
    this.#model = model
    this.#requests = requests
    this.#onEnd = onEnd
    this.#draw = draw
    this.#slowness = this.#drawSlowness()
  }

  /** Time of the next event, if nothing else arrives; infinite when idle. */
  get nextEventMs(): number {
    if (this.#canAdmit) return this.#now
    if (this.#running.size === 0) return Number.POSITIVE_INFINITY
    return this.#now + this.#iterationsToFinish * this.#iterationMs
  }

  /** Requests that wait or run at a time that is not before the last event. */
  inFlightAt(ms: number): number {
    return this.#running.size + this.#waitingCount + (this.#now > ms ? this.#finishedNow : 0)
  }

  /** Takes a request; false if too many wait. It joins the batch with the next iteration. */
  arrive(id: number, ms: number): boolean {
    while (this.#now < ms && (this.#running.size > 0 || this.#waitingCount > 0)) this.advance(ms)
    const { maxSequences, maxWaiting } = this.#model
    const free = Math.max(0, maxSequences - this.#running.size)
    if (this.#waitingCount >= maxWaiting + free) return false
    if (this.#running.size === 0 && this.#waitingCount === 0) this.#now = Math.max(this.#now, ms)
    this.#waiting.push(id)
    return true
  }

  /** Runs all iterations up to the next event, but none that begins at `untilMs` or later. */
  advance(untilMs: number): void {
    if (this.#canAdmit) {
      this.#admit()
      return
    }
    const ms = this.#iterationMs
    const iterations = Math.min(this.#iterationsToFinish, Math.ceil((untilMs - this.#now) / ms))
    this.#iteration += iterations
    this.#now += iterations * ms
    this.#finish()
  }

  #admit(): void {
    const { maxSequences, prefillMs, prefillMsPerToken } = this.#model
    const places = maxSequences - this.#running.size
    const from = this.#firstWaiting
    const to = Math.min(this.#waiting.length, from + places)
    let promptTokens = 0
    for (let at = from; at < to; at++) {
      const id = this.#waiting[at] ?? 0
      const request = this.#requests[id]
      promptTokens += request?.promptTokens ?? 0
      const last = this.#iteration + Math.max(1, request?.outputTokens ?? 1)
      this.#running.push(last * idRange + id)
    }
    this.#iteration += 1
    const prompts = (to - from) * prefillMs + promptTokens * prefillMsPerToken
    this.#now += this.#slowness * (prompts + iterationMs(this.#model, this.#running.size))
    for (let at = from; at < to; at++) {
      const request = this.#requests[this.#waiting[at] ?? 0]
      if (request !== undefined) request.firstTokenMs = this.#now
    }
    this.#forgetUpTo(to)
    this.#finish()
  }

  #finish(): void {
    this.#slowness = this.#drawSlowness()
    this.#finishedNow = 0
    while (Math.floor(this.#running.min / idRange) <= this.#iteration) {
      const request = this.#requests[this.#running.pop() % idRange]
      if (request !== undefined) request.endMs = this.#now
      this.#onEnd(this.#now)
      this.#finishedNow += 1
    }
  }

  #forgetUpTo(at: number): void {
    this.#firstWaiting = at
    if (at < 1024 && at < this.#waiting.length) return
    this.#waiting = this.#waiting.slice(at)
    this.#firstWaiting = 0
  }

  get #waitingCount(): number {
    return this.#waiting.length - this.#firstWaiting
  }

  get #canAdmit(): boolean {
    return this.#waitingCount > 0 && this.#running.size < this.#model.maxSequences
  }

  /** Mean of the iterations up to the next event, which vary independently. */
  get #iterationMs(): number {
    const mean = iterationMs(this.#model, this.#running.size)
    return mean * (1 + (this.#slowness - 1) / Math.sqrt(Math.max(1, this.#iterationsToFinish)))
  }

  #drawSlowness(): number {
    const { spread } = this.#model
    if (spread === 0) return 1
    return Math.exp(spread * standardNormal(this.#draw(), this.#draw()) - spread ** 2 / 2)
  }

  get #iterationsToFinish(): number {
    return Math.floor(this.#running.min / idRange) - this.#iteration
  }
}

/** Upper bound for the requests of one simulation. */
const idRange = 2 ** 21

/** Queue of numbers, the smallest first. */
export class NumberQueue {
  /** Values in descending order. */
  readonly #values: number[] = []

  get size(): number {
    return this.#values.length
  }

  /** Infinite if there is none. */
  get min(): number {
    return this.#values.at(-1) ?? Number.POSITIVE_INFINITY
  }

  push(value: number): void {
    const values = this.#values
    const last = lastWhere((at) => (values[at] ?? 0) > value, -1, values.length)
    values.splice(last + 1, 0, value)
  }

  /** Removes the smallest; infinite if there is none. */
  pop(): number {
    return this.#values.pop() ?? Number.POSITIVE_INFINITY
  }
}

/**
 * Service model of one replica, as far as its answers show it: continuous batching (Yu et al., "Orca",
 * OSDI 2022). Requests wait for one of `maxSequences` places. An iteration admits what waits, prefills
 * its prompts and gives each running sequence one token. A server that does not batch is the case
 * `decodeMsPerSequence` = 0.
 */
export interface ServiceModel {
  /** Sequences that are decoded together; infinite if no limit was seen. */
  readonly maxSequences: number
  /** Requests that may wait, further ones are refused; infinite if no limit was seen. */
  readonly maxWaiting: number
  /** Network, HTTP and everything else that does not depend on the load, for each request. */
  readonly overheadMs: number
  /** All running sequences wait for the prefill of an admitted prompt. */
  readonly prefillMsPerToken: number
  /** The same for each admitted request, independent of its prompt. */
  readonly prefillMs: number
  /** One iteration; each running sequence adds `decodeMsPerSequence`. */
  readonly decodeMs: number
  readonly decodeMsPerSequence: number
  /** Log-normal distribution of the durations of iterations: standard deviation of their logarithm. */
  readonly spread: number
}

/** Mean duration of one iteration, without prefill. */
export function iterationMs(
  { decodeMs, decodeMsPerSequence }: Pick<ServiceModel, 'decodeMs' | 'decodeMsPerSequence'>,
  running: number,
): number {
  return decodeMs + running * decodeMsPerSequence
}

/**
 * Requests per second that saturate one replica: a fluid approximation, all places taken all the time.
 * Without a limit of sequences, the rate at which an infinite batch would finish them.
 */
export function saturationRate(model: ServiceModel, lengths: readonly RequestLength[]): number {
  const { maxSequences, prefillMs, prefillMsPerToken, decodeMs, decodeMsPerSequence } = model
  const prompt = meanOf(lengths.map(({ promptTokens }) => promptTokens)) ?? 0
  const output = meanOf(lengths.map(({ outputTokens }) => outputTokens)) ?? 0
  const decode = output * (decodeMs / maxSequences + decodeMsPerSequence)
  return 1000 / (prefillMs + prompt * prefillMsPerToken + decode)
}
