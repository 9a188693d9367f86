/** Answers that share one engine: each waits for its place in the batch, and for every iteration. */
import { ApiError } from '../http/errors.ts'
import { type Clock, sleepUntil } from '../runtime/clock.ts'
import type { Decode, Decoding } from '../runtime/decoding.ts'
import { Engine, type EngineOptions, type Sequence } from './engine.ts'

interface Progress extends Sequence {
  tokens: number
  endsAt: number
  /** Resolved by its next token: waiting sequences are not woken by the tokens of others. */
  decoded: PromiseWithResolvers<void>
}

export function decodeByEngine(options: EngineOptions, clock: Clock): Decode {
  const engine = new Engine<Progress>(options)
  let isRunning = false

  /** Runs until nothing is left to decode. Iterations are timed from each other, without drift. */
  async function run(): Promise<void> {
    isRunning = true
    let at = clock.now()
    while (!engine.isIdle) {
      const { durationMs, decoded } = engine.iterate()
      at += durationMs
      await sleepUntil(clock, at)
      for (const own of decoded) {
        const { resolve } = own.decoded
        const next = { tokens: own.tokens + 1, endsAt: at, decoded: Promise.withResolvers<void>() }
        Object.assign(own, next)
        resolve()
      }
    }
    isRunning = false
  }

  async function wait(own: Progress, tokens: number, stop: AbortSignal) {
    while (own.tokens < tokens) await untilAborted(own.decoded.promise, stop)
  }

  return ({ promptTokens, outputTokens, startedAt, signal }): Decoding => {
    const count = Math.max(1, outputTokens)
    const own: Progress = {
      ...{ promptTokens, outputTokens: count, tokens: 0, endsAt: startedAt },
      decoded: Promise.withResolvers(),
    }
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

function untilAborted(wait: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<void>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  return Promise.race([wait, aborted.promise]).finally(() =>
    signal.removeEventListener('abort', onAbort),
  )
}

function overloaded({ maxWaiting }: EngineOptions): ApiError {
  const message = `The engine is busy and ${maxWaiting} requests are already waiting`
  return new ApiError(503, message, 'engine_overloaded', null, { 'retry-after': '1' })
}
