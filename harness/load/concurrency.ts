/** Waiting and bounded concurrency. */
import { setMaxListeners } from 'node:events'
import { maxTimerMs } from '../../contract/timer.ts'

/** Resolves after `ms` milliseconds, or as soon as the signal is aborted. */
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

export interface Share {
  readonly index: number
  readonly of: number
}

/** Integer share of a total; all shares add up to it. */
export function shareOf(total: number, { index, of }: Share): number {
  return Math.floor(total / of) + (index < total % of ? 1 : 0)
}
