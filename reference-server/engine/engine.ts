/**
 * Continuous batching as a pure state machine (Yu et al., "Orca", OSDI 2022; the scheduler of vLLM):
 * an iteration admits what waits, prefills it, and gives each running sequence one token. It knows no
 * clock: a server waits for each iteration, a simulation only adds its duration up.
 */
import type { EngineOptions } from './options.ts'

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

/** The state with one sequence more, or undefined where the queue is full. */
export function enqueue(
  { maxNumSeqs, maxWaiting }: EngineOptions,
  state: EngineState,
  sequence: Sequence,
): EngineState | undefined {
  const free = Math.max(0, maxNumSeqs - state.running.length)
  if (state.waiting.length >= maxWaiting + free) return undefined
  return { ...state, waiting: [...state.waiting, sequence] }
}

/** Forgets a sequence whose client has left. */
export function cancel({ waiting, running }: EngineState, id: number): EngineState {
  const others = (sequence: Sequence) => sequence.id !== id
  return { waiting: waiting.filter(others), running: running.filter(others) }
}

export function isIdle({ waiting, running }: EngineState): boolean {
  return waiting.length === 0 && running.length === 0
}

/** One iteration; of an idle engine it takes no time. */
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
