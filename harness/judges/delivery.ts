import type { Exchange } from '../contract/index.ts'
import { deltasOf } from './answers.ts'

export type Delivery = 'spread' | 'bunched' | 'too-short-to-tell'

/** With fewer fragments there is nothing that could have been spread. */
const fewestDeltas = 8
/** A buffered answer leaves in one go: its deltas take next to none of the time that it took. */
const bunchedShare = 0.05
const spreadShare = 0.2

/**
 * Whether the text of a streamed answer arrived while it was made (V3-SSE-30, OAI-STREAM-11). An
 * answer that was there within `minDurationMs` of the request proves nothing: it may have been made
 * as fast as it came. The first events are no evidence either, they may be sent ahead of all work.
 */
export function deliveredWhileMade(
  exchange: Exchange,
  { minDurationMs }: { readonly minDurationMs: number },
): Delivery {
  const times = deltasOf(exchange)
    .filter(({ text }) => text !== '')
    .map(({ atMs }) => atMs)
  const first = times[0]
  const last = times.at(-1)
  if (first === undefined || last === undefined || times.length < fewestDeltas) {
    return 'too-short-to-tell'
  }
  const span = last - first
  if (span >= minDurationMs) return hasSteps(times) ? 'spread' : 'too-short-to-tell'
  if (last < minDurationMs) return 'too-short-to-tell'
  if (span <= last * bunchedShare) return 'bunched'
  return span >= last * spreadShare && hasSteps(times) ? 'spread' : 'too-short-to-tell'
}

/** One delta ahead and all others in one go at the end are two arrivals, not a spread. */
function hasSteps(times: readonly number[]): boolean {
  return new Set(times).size > 2
}
