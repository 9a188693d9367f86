/** Waits between the fragments of a stream. */
import { type Clock, sleepUntil } from '../runtime/clock.ts'

export interface PacedWork {
  readonly clock: Clock
  readonly startedAt: number
  /** Milliseconds after the start at which each fragment is due. */
  readonly due: readonly number[]
  readonly signal: AbortSignal
}

/** Each call gives the wait until one fragment more is due; undefined where there is none. */
export function pacer({
  clock,
  startedAt,
  due,
  signal,
}: PacedWork): () => Promise<void> | undefined {
  let fragments = 0
  return () => {
    const at = due[fragments] ?? 0
    fragments += 1
    return at > 0 ? sleepUntil(clock, startedAt + at, signal) : undefined
  }
}
