/** Answers that share one engine: each waits for its place in the batch, and for every iteration. */
import { ApiError } from '../http/errors.ts'
import { type Clock, sleepUntil } from '../runtime/clock.ts'
import type { Decode, Decoding } from '../runtime/decoding.ts'
import { Engine, type EngineOptions, type Sequence } from './engine.ts'

interface Progress extends Sequence {
  tokens: number
  endsAt: number
}

export function decodeByEngine(options: EngineOptions, clock: Clock): Decode {
  const engine = new Engine<Progress>(options)
  let isRunning = false
  let iterated = Promise.withResolvers<void>()

  /** Runs until nothing is left to decode. Iterations are timed from each other, without drift. */
  async function run(): Promise<void> {
    isRunning = true
    let at = clock.now()
    while (!engine.isIdle) {
      const { durationMs, decoded } = engine.iterate()
      at += durationMs
      await sleepUntil(clock, at)
      for (const own of decoded) Object.assign(own, { tokens: own.tokens + 1, endsAt: at })
      iterated.resolve()
      iterated = Promise.withResolvers()
    }
    isRunning = false
  }

  async function wait(own: Progress, tokens: number, stop: AbortSignal | undefined) {
    while (own.tokens < tokens) await untilAborted(iterated.promise, stop)
  }

  return ({ promptTokens, outputTokens, startedAt, signal }): Decoding => {
    const count = Math.max(1, outputTokens)
    const own: Progress = { promptTokens, outputTokens: count, tokens: 0, endsAt: startedAt }
    if (!engine.enqueue(own)) throw overloaded(options)
    signal?.addEventListener('abort', () => engine.cancel(own))
    if (!isRunning) void run()
    return {
      get endsAt() {
        return own.endsAt
      },
      token: (n, stop) =>
        own.tokens >= Math.min(n, count) ? undefined : wait(own, Math.min(n, count), stop),
      all: (stop) => wait(own, count, stop),
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
  const message = `The engine is busy and ${maxWaiting} requests wait already`
  return new ApiError(503, message, 'engine_overloaded', null, { 'retry-after': '1' })
}
