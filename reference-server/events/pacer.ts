/** Waits between the fragments of a stream. */
import { type Clock, sleepUntil } from '../clock.ts'

export interface PacedWork {
  readonly clock: Clock
  readonly startedAt: number
  /** Milliseconds after the start at which each fragment is due. */
  readonly due: readonly number[]
  readonly signal: AbortSignal
}

/** Each call waits until one fragment more is due. */
export function pacer({ clock, startedAt, due, signal }: PacedWork): () => Promise<void> {
  let fragments = 0
  return async () => {
    const at = due[fragments] ?? 0
    fragments += 1
    if (at > 0) await sleepUntil(clock, startedAt + at, signal)
  }
}
