/** Waits between the fragments of a stream. */
import type { Decoding } from '../runtime/decoding.ts'

/** Each call gives the wait until one fragment more is there; undefined where there is none. */
export function tokenDelays(
  decoding: Decoding,
  signal: AbortSignal,
): () => Promise<void> | undefined {
  let fragments = 0
  return () => {
    fragments += 1
    return decoding.token(fragments, signal)
  }
}
