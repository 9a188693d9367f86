/**
 * Continuous batching as a pure state machine (Yu et al., "Orca", OSDI 2022; the scheduler of vLLM):
 * an iteration admits waiting sequences, prefills them, and gives each running sequence one token. It has no
 * clock: a server waits for each iteration, a simulation only adds up the durations.
 */

export interface Sequence {
  readonly id: number
  /** Prefilled when the sequence is admitted. */
  readonly promptTokens: number
  /** Minimum 1. */
  readonly outputTokens: number
}

export interface RunningSequence extends Sequence {
  /** Tokens that are still to come. */
  readonly remaining: number
}

export interface EngineState {
  /** Sequences in order of arrival. */
  readonly waiting: readonly Sequence[]
  readonly running: readonly RunningSequence[]
}

export interface Iteration {
  readonly durationMs: number
  /** Sequences that have one token more at the end of the iteration. */
  readonly decoded: readonly number[]
  /** Sequences whose last token was decoded. */
  readonly finished: readonly number[]
  readonly state: EngineState
}

export const idle: EngineState = { waiting: [], running: [] }

/** The state with one more sequence, or undefined if the queue is full. */
export function enqueue(
  { maxNumSeqs, maxWaiting }: EngineOptions,
  state: EngineState,
  sequence: Sequence,
): EngineState | undefined {
  const free = Math.max(0, maxNumSeqs - state.running.length)
  if (state.waiting.length >= maxWaiting + free) return undefined
  return { ...state, waiting: [...state.waiting, sequence] }
}

/** Removes a sequence whose client has disconnected. */
export function cancel({ waiting, running }: EngineState, id: number): EngineState {
  const others = (sequence: Sequence) => sequence.id !== id
  return { waiting: waiting.filter(others), running: running.filter(others) }
}

export function isIdle({ waiting, running }: EngineState): boolean {
  return waiting.length === 0 && running.length === 0
}

/** One iteration, which takes no time if the engine is idle. */
export function iterate(options: EngineOptions, state: EngineState): Iteration {
  const free = Math.max(0, options.maxNumSeqs - state.running.length)
  const admitted = state.waiting.slice(0, free)
  const batch = [
    ...state.running,
    ...admitted.map((sequence) => ({ ...sequence, remaining: sequence.outputTokens })),
  ]
  if (batch.length === 0) return { durationMs: 0, decoded: [], finished: [], state }
  const promptTokens = admitted.reduce((sum, sequence) => sum + sequence.promptTokens, 0)
  const after = batch.map((sequence) => ({ ...sequence, remaining: sequence.remaining - 1 }))
  return {
    durationMs:
      promptTokens * options.prefillMsPerToken +
      options.decodeMs +
      batch.length * options.decodeMsPerSeq,
    decoded: batch.map(({ id }) => id),
    finished: after.filter(({ remaining }) => remaining <= 0).map(({ id }) => id),
    state: {
      waiting: state.waiting.slice(admitted.length),
      running: after.filter(({ remaining }) => remaining > 0),
    },
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

export interface SimulatedRequest {
  /** Milliseconds after the beginning; ascending. */
  readonly atMs: number
  readonly promptTokens: number
  /** Minimum 1. */
  readonly outputTokens: number
}

/** Null for a request that was refused. */
export type SimulatedAnswer = {
  /** Milliseconds from the arrival to the first token. */
  readonly ttftMs: number
  /** Milliseconds from the arrival to the last token. */
  readonly latencyMs: number
} | null

/** The answers to the requests, in their order, once all of them have ended. */
export function simulate(
  options: EngineOptions,
  requests: readonly SimulatedRequest[],
): readonly SimulatedAnswer[] {
  const firstTokenAt = new Map<number, number>()
  const answers: SimulatedAnswer[] = requests.map(() => null)
  let state: EngineState = idle
  let now = 0
  let next = 0
  const arriveUntil = (time: number) => {
    for (let request = requests[next]; request !== undefined; request = requests[next]) {
      if (request.atMs > time) return
      const { promptTokens, outputTokens } = request
      state = enqueue(options, state, { id: next, promptTokens, outputTokens }) ?? state
      next += 1
    }
  }
  while (next < requests.length || !isIdle(state)) {
    if (isIdle(state)) now = Math.max(now, requests[next]?.atMs ?? now)
    arriveUntil(now)
    const iteration = iterate(options, state)
    state = iteration.state
    now += iteration.durationMs
    // Arrivals in the meantime wait for the next iteration.
    arriveUntil(now)
    for (const id of iteration.decoded) {
      if (!firstTokenAt.has(id)) firstTokenAt.set(id, now)
    }
    for (const id of iteration.finished) {
      const atMs = requests[id]?.atMs ?? 0
      answers[id] = { ttftMs: (firstTokenAt.get(id) ?? now) - atMs, latencyMs: now - atMs }
    }
  }
  return answers
}
