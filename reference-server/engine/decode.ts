/** Answers that share one engine: each waits for its place in the batch, and for every iteration. */
import { ApiError } from '../http/errors.ts'
import { type Clock, sleepUntil } from '../runtime/clock.ts'
import type { Decode, Decoding } from '../runtime/decoding.ts'
import {
  cancel,
  type EngineOptions,
  type EngineState,
  enqueue,
  idle,
  isIdle,
  iterate,
} from './engine.ts'

/** Progress of one sequence, and its waiters. */
interface Progress {
  tokens: number
  endsAt: number
  readonly waiters: { readonly n: number; readonly resolve: () => void }[]
}

export function decodeByEngine(options: EngineOptions, clock: Clock): Decode {
  const progress = new Map<number, Progress>()
  let state: EngineState = idle
  let sequences = 0
  let isRunning = false

  /** Runs until nothing is left to decode. Iterations are timed from each other, without drift. */
  async function run(): Promise<void> {
    isRunning = true
    let at = clock.now()
    while (!isIdle(state)) {
      const iteration = iterate(options, state)
      state = iteration.state
      at += iteration.durationMs
      await sleepUntil(clock, at)
      for (const id of iteration.decoded) advance(id, at)
      for (const id of iteration.finished) progress.delete(id)
    }
    isRunning = false
  }

  function advance(id: number, at: number): void {
    const own = progress.get(id)
    if (own === undefined) return
    own.tokens += 1
    own.endsAt = at
    while ((own.waiters[0]?.n ?? Number.POSITIVE_INFINITY) <= own.tokens) {
      own.waiters.shift()?.resolve()
    }
  }

  return ({ promptTokens, outputTokens, startedAt, signal }): Decoding => {
    const id = sequences++
    const count = Math.max(1, outputTokens)
    const queued = enqueue(options, state, { id, promptTokens, outputTokens: count })
    if (queued === undefined) throw overloaded(options)
    state = queued
    const own: Progress = { tokens: 0, endsAt: startedAt, waiters: [] }
    progress.set(id, own)
    signal?.addEventListener('abort', () => {
      state = cancel(state, id)
    })
    if (!isRunning) void run()
    const token: Decoding['token'] = (n, stop) => {
      const tokenCount = Math.min(n, count)
      if (own.tokens >= tokenCount) return
      return untilAborted(
        new Promise((resolve) => own.waiters.push({ n: tokenCount, resolve })),
        stop,
      )
    }
    return {
      get endsAt() {
        return own.endsAt
      },
      token,
      all: async (stop) => token(count, stop),
    }
  }
}

function untilAborted(wait: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return wait
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<void>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  return Promise.race([wait, aborted.promise]).finally(() =>
    signal.removeEventListener('abort', onAbort),
  )
}

function overloaded({ maxWaiting }: EngineOptions): ApiError {
  return new ApiError(503, `The engine is busy and ${maxWaiting} requests wait already`, {
    code: 'engine_overloaded',
    headers: { 'retry-after': '1' },
  })
}
