import type { Exchange } from '../contract/index.ts'
import { deltasOf } from './answers.ts'

export type Delivery = 'spread' | 'bunched' | 'too-short-to-tell'

/** With fewer fragments there is nothing that could have been spread. */
const fewestDeltas = 8
/** Deltas of a buffered answer take next to none of the time that the answer took. */
const bunchedShare = 0.02
/** An answer that was there sooner may have been made as fast as it came. */
const shortestBuffered = 500
/** Arrivals within less, in milliseconds or as a share of the answer's time, may be one burst. */
const shortestSpread = 20
const spreadShare = 0.2

/**
 * Whether the text of a streamed answer arrived while it was made (V3-SSE-30, OAI-STREAM-11). To say
 * that it did takes little: several arrivals, some milliseconds apart. To say that it did not takes
 * much: an answer that was a long time coming, and then all of it at once. The first events are no
 * evidence, they may be sent ahead of all work.
 */
export function deliveredWhileMade(exchange: Exchange): Delivery {
  const times = deltasOf(exchange)
    .filter(({ text }) => text !== '')
    .map(({ atMs }) => atMs)
  const first = times[0]
  const last = times.at(-1)
  if (first === undefined || last === undefined || times.length < fewestDeltas) {
    return 'too-short-to-tell'
  }
  const span = last - first
  if (span >= shortestSpread && span >= last * spreadShare && hasSteps(times)) return 'spread'
  return last >= shortestBuffered && span <= last * bunchedShare ? 'bunched' : 'too-short-to-tell'
}

/** One delta ahead and all others in one go at the end are two arrivals, not a spread. */
function hasSteps(times: readonly number[]): boolean {
  return new Set(times).size > 2
}
