import type { MixEntry } from './mix.ts'
import type { Arrival } from './plan.ts'

/** How many requests a transaction sends at least, where none of them fails. */
export function minRequests({ kind }: MixEntry, { turns, race }: Arrival): number {
  if (kind === 'v2-turn') return 2
  if (kind === 'v3-chat') return turns
  // Both of the race, and the history that tells who won.
  return race && (kind === 'v3-stream' || kind === 'v3-json') ? 3 : 1
}
