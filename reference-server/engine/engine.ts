/**
 * Continuous batching (Yu et al., "Orca", OSDI 2022; the scheduler of vLLM): an iteration admits waiting sequences,
 * prefills them, and gives each running sequence one token. It has no clock: a server waits for each iteration, a
 * simulation only adds up the durations.
 */

export interface Sequence {
  /** Prefilled when the sequence is admitted. */
  readonly promptTokens: number
  /** Minimum 1. */
  readonly outputTokens: number
}

export class Engine<One extends Sequence> {
  readonly #options: EngineOptions
  /** Sequences in order of arrival. */
  #waiting: One[] = []
  /** Tokens of the running sequences that are still to come. */
  readonly #running = new Map<One, number>()

  constructor(options: EngineOptions) {
    this.#options = options
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#running.size === 0
  }

  get #free(): number {
    return Math.max(0, this.#options.maxNumSeqs - this.#running.size)
  }

  /** False if the queue is full. */
  enqueue(sequence: One): boolean {
    if (this.#waiting.length >= this.#options.maxWaiting + this.#free) return false
    this.#waiting.push(sequence)
    return true
  }

  /** Removes a sequence whose client has disconnected. */
  cancel(sequence: One): void {
    this.#waiting = this.#waiting.filter((other) => other !== sequence)
    this.#running.delete(sequence)
  }

  /** One iteration, which takes no time if the engine is idle: the sequences that got a token, and those that ended. */
  iterate() {
    const { prefillMsPerToken, decodeMs, decodeMsPerSeq } = this.#options
    const admitted = this.#waiting.splice(0, this.#free)
    for (const sequence of admitted) this.#running.set(sequence, sequence.outputTokens)
    const decoded = [...this.#running.keys()]
    for (const [sequence, left] of [...this.#running]) {
      if (left > 1) this.#running.set(sequence, left - 1)
      else this.#running.delete(sequence)
    }
    const promptTokens = admitted.reduce((sum, sequence) => sum + sequence.promptTokens, 0)
    const busyMs = promptTokens * prefillMsPerToken + decodeMs + decoded.length * decodeMsPerSeq
    const finished = decoded.filter((sequence) => !this.#running.has(sequence))
    return { durationMs: decoded.length === 0 ? 0 : busyMs, decoded, finished }
  }
}

/** The engine of `serve --engine`: a replica with continuous batching, in the terms of vLLM. */

export interface EngineOptions {
  /** Maximum number of sequences in a batch; further requests wait. */
  readonly maxNumSeqs: number
  /** Maximum number of waiting requests; further ones are refused. */
  readonly maxWaiting: number
  /** Milliseconds of prefill for each token of a prompt; all running sequences wait for it. */
  readonly prefillMsPerToken: number
  /** Milliseconds of one iteration, in which each running sequence gets one token. */
  readonly decodeMs: number
  /** Milliseconds that each running sequence adds to an iteration. */
  readonly decodeMsPerSeq: number
}

export class EngineSyntaxError extends Error {
  readonly code = 'engine_syntax'
  override readonly name = 'EngineSyntaxError'
}

export const defaultEngine: EngineOptions = {
  maxNumSeqs: 8,
  maxWaiting: 64,
  prefillMsPerToken: 0.4,
  decodeMs: 12,
  decodeMsPerSeq: 0.5,
}

type Read = (value: string) => number | undefined

const parts: Readonly<Record<string, readonly [keyof EngineOptions, Read]>> = {
  'max-num-seqs': ['maxNumSeqs', (value) => whole(value, 1)],
  'max-waiting': ['maxWaiting', (value) => whole(value, 0)],
  prefill: ['prefillMsPerToken', (value) => time(value.replace(/\/token$/, ''))],
  decode: ['decodeMs', time],
  'decode-per-seq': ['decodeMsPerSeq', time],
}

/**
 * Reads `max-num-seqs=8,max-waiting=64,prefill=0.4ms/token,decode=12ms,decode-per-seq=0.5ms`: any of
 * the five, in any order; times in `ms` (the default) or `s`. Omitted parts have their defaults.
 *
 * @throws EngineSyntaxError that names the part it cannot read
 */
export function parseEngine(text: string): EngineOptions {
  const read = text.split(',').map((part) => readPart(part.trim()))
  const options: EngineOptions = Object.assign({}, defaultEngine, ...read)
  if (options.decodeMs + options.decodeMsPerSeq > 0) return options
  throw new EngineSyntaxError('engine: decode and decode-per-seq are both 0: a token takes time')
}

function readPart(part: string): Partial<EngineOptions> {
  const [name = '', value = '', ...rest] = part.split('=')
  const option = Object.hasOwn(parts, name) ? parts[name] : undefined
  if (option === undefined) {
    throw unreadable(part, `known names are ${Object.keys(parts).join(', ')}`)
  }
  const [member, read] = option
  const number = rest.length > 0 ? undefined : read(value)
  if (number !== undefined) return { [member]: number }
  const expected = /max/.test(name) ? 'a whole number' : 'a time such as 12ms'
  throw unreadable(part, `expected ${name}= and ${expected}`)
}

function whole(value: string, min: number): number | undefined {
  return /^\d{1,6}$/.test(value) && Number(value) >= min ? Number(value) : undefined
}

function time(value: string): number | undefined {
  const [, digits, unit] = /^(\d{1,6}(?:\.\d+)?)(ms|s)?$/.exec(value) ?? []
  return digits === undefined ? undefined : Number(digits) * (unit === 's' ? 1000 : 1)
}

function unreadable(part: string, why: string): EngineSyntaxError {
  return new EngineSyntaxError(`engine: cannot read "${part}": ${why}`)
}

export interface SimulatedRequest extends Sequence {
  /** Milliseconds after the beginning; ascending. */
  readonly atMs: number
}

/** Null for a request that was refused. */
export type SimulatedAnswer = {
  /** Milliseconds from the arrival to the first token. */
  readonly ttftMs: number
  /** Milliseconds from the arrival to the last token. */
  readonly latencyMs: number
} | null

interface Simulated extends SimulatedRequest {
  firstTokenAt?: number
  answer?: SimulatedAnswer
}

/** The answers to the requests, in their order, once all of them have ended. */
export function simulate(
  options: EngineOptions,
  requests: readonly SimulatedRequest[],
): readonly SimulatedAnswer[] {
  const engine = new Engine<Simulated>(options)
  const all = requests.map((request): Simulated => ({ ...request }))
  let now = 0
  let next = 0
  const arriveUntil = (time: number) => {
    for (let one = all[next]; one !== undefined && one.atMs <= time; one = all[next]) {
      engine.enqueue(one)
      next += 1
    }
  }
  while (next < all.length || !engine.isIdle) {
    if (engine.isIdle) now = Math.max(now, all[next]?.atMs ?? now)
    arriveUntil(now)
    const { durationMs, decoded, finished } = engine.iterate()
    now += durationMs
    // Arrivals in the meantime wait for the next iteration.
    arriveUntil(now)
    for (const one of decoded) one.firstTokenAt ??= now
    for (const one of finished) {
      one.answer = { ttftMs: (one.firstTokenAt ?? now) - one.atMs, latencyMs: now - one.atMs }
    }
  }
  return all.map(({ answer }) => answer ?? null)
}
