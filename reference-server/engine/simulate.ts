/** Simulation of an engine under given arrivals, without a server: true latencies and capacity. */

import { type EngineOptions, type EngineState, enqueue, idle, isIdle, iterate } from './engine.ts'

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
