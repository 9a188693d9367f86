/** The clock of a run, waits, and bounded concurrency. */
import { setMaxListeners } from 'node:events'
import { performance } from 'node:perf_hooks'
import { maxTimerMs } from '../../contract/timer.ts'

/**
 * Nanoseconds since the start of the run, from CLOCK_MONOTONIC: the same for all threads of the machine.
 * `performance.now` reads that clock without a BigInt; its origin differs between threads and is subtracted
 * once.
 */
export class RunClock {
  readonly #offset: number

  /** `start`: the reading of `process.hrtime.bigint` at time 0. */
  constructor(start: bigint) {
    const before = performance.now()
    const at = Number(process.hrtime.bigint() - start)
    const after = performance.now()
    this.#offset = at - ((before + after) / 2) * 1e6
  }

  now(): number {
    return Math.round(performance.now() * 1e6 + this.#offset)
  }
}

/** Resolves after `ms` milliseconds, or as soon as the signal is aborted. Costs less than that of `timers/promises`. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    // A think time may exceed the maximum of a timer.
    const timer = setTimeout(done, Math.min(ms, maxTimerMs))
    signal.addEventListener('abort', done, { once: true })
  })
}

/** Time for the creation of a chat after an interrupt: only its answer shows what to delete. */
const interruptedChatMs = 3000

/** A signal that is aborted three seconds after the given one. */
export function withGracePeriod(signal: AbortSignal): AbortSignal {
  const delayed = new AbortController()
  setMaxListeners(0, delayed.signal)
  const schedule = () => setTimeout(() => delayed.abort(), interruptedChatMs).unref()
  if (signal.aborted) schedule()
  else signal.addEventListener('abort', schedule, { once: true })
  return delayed.signal
}

/**
 * Maps values with at most `concurrency` calls in flight, results in the order of the values. After
 * the first rejection no further call starts; those in flight are awaited before it is rethrown.
 */
export async function mapConcurrently<From, To>(
  values: readonly From[],
  concurrency: number,
  map: (value: From, index: number) => Promise<To>,
): Promise<To[]> {
  const results: To[] = []
  const errors: unknown[] = []
  const entries = values.entries()
  const worker = async () => {
    // All workers draw from one iterator.
    for (const [index, value] of entries) {
      if (errors.length > 0) return
      try {
        results[index] = await map(value, index)
      } catch (error) {
        errors.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, values.length) }, worker))
  if (errors.length > 0) throw errors[0]
  return results
}
