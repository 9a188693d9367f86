import { medianOf } from '../../contract/averages.ts'
import type { Exchange } from '../../contract/index.ts'
import { count } from '../../contract/text.ts'
import { deltasOf } from './answers.ts'

/**
 * `spread`: the text arrived while it was generated. `bunched`: all of it at once, long after the request.
 * `quick`: all at once, so early that it may have been generated as fast. `lumps`: in few reads, each of
 * which delayed text. `undecided`: this stream does not show it.
 */
export type DeliveryKind = 'spread' | 'bunched' | 'quick' | 'lumps' | 'undecided'

export interface Delivery {
  readonly kind: DeliveryKind
  /** `25 deltas arrived in 2 reads, 158 ms apart`, with the reason if this is inconclusive. */
  readonly description: string
}

/** Minimum number of fragments to detect buffering. */
const minDeltas = 8
/** Maximum share of the response time in which the deltas of a buffered answer arrive. */
const bunchedShare = 0.02
/** A response that was complete earlier may have been generated as fast as it came. */
const minBufferedMs = 500
/** Arrivals within less, in milliseconds or as a share of the response time, may be one burst. */
const minSpreadMs = 20
const spreadShare = 0.2
/** A model may take long to begin and then be fast: a gap of this duration is not a burst, whatever its share. */
const longSpreadMs = 300
/** Minimum average of deltas in a read: with fewer, the target sent them together without buffering. */
const minGathered = 4
/**
 * Text that waits longer than this for its read counts as delayed: above the 40 ms of a delayed
 * acknowledgement and a model that generates several tokens a step, below the 200 ms of a corked socket.
 */
const heldBackMs = 180

/**
 * Decides if the text of a streamed answer arrived while it was generated (V3-SSE-30, OAI-STREAM-11), from
 * the times of the reads. The reads after the first show the pace of the target: text per time. Text that
 * waited for its read longer than this pace explains was held back. `spread` needs little evidence; its
 * opposite needs much, and never counts data that this process itself read late. The first events are no
 * evidence, as they may be sent before any work.
 */
export function deliveryOf(exchange: Exchange): Delivery {
  const deltas = deltasOf(exchange).filter(({ text }) => text !== '')
  const reads = readsOf(deltas.map(({ atMs }) => atMs))
  const [first, last] = [deltas[0], deltas.at(-1)]
  if (first === undefined || last === undefined) {
    return { kind: 'undecided', description: 'no text arrived' }
  }
  const span = last.atMs - first.atMs
  const description = describe(deltas.length, reads)
  // A single full read among small ones may come from a model that paused and then was fast.
  const full = reads.filter((read) => read.deltas >= minGathered)
  const isGathered = deltas.length / reads.length >= minGathered && full.length > 1
  const held = deltas.length >= minDeltas && isGathered ? maxWait(reads) : 0
  const unlessLate = (kind: DeliveryKind, ms: number): Delivery => {
    const late = exchange.loopDelayMs ?? 0
    const excuse = `${description}, but this machine was itself ${late} ms late`
    return late >= ms / 2 ? { kind: 'undecided', description: excuse } : { kind, description }
  }

  const cameAtOnce = deltas.length >= minDeltas && span <= last.atMs * bunchedShare
  if (cameAtOnce && last.atMs < minBufferedMs) {
    return { kind: 'quick', description: tooLittle(deltas.length, span) }
  }
  if (cameAtOnce) return unlessLate('bunched', last.atMs)
  if (held >= heldBackMs) return unlessLate('lumps', held)
  const burst = reads.find((read, at) => isBurst(read, reads[at - 1], deltas.length))
  if (burst !== undefined) {
    const gathered = `${burst.deltas} of ${count(deltas.length, 'delta')} arrived in one read`
    return { kind: 'undecided', description: `${gathered}: buffered, or generated after a pause` }
  }
  const isLong = span >= minSpreadMs && (span >= last.atMs * spreadShare || span >= longSpreadMs)
  if (reads.length > 2 && isLong) return { kind: 'spread', description }
  return { kind: 'undecided', description: tooLittle(deltas.length, span) }
}

function tooLittle(deltas: number, span: number): string {
  const what = deltas < minDeltas && span >= minSpreadMs ? 'few' : 'fast'
  return `${count(deltas, 'delta')} arrived within ${Math.ceil(span)} ms: too ${what} to tell`
}

/** Arrivals within this time in milliseconds may come from one write. */
const maxTogetherMs = 2

/** Deltas that were read together. */
interface Read {
  readonly atMs: number
  readonly deltas: number
}

/** Merges arrivals far closer than the average of the stream: a proxy may forward its buffer block by block. */
function readsOf(times: readonly number[]): readonly Read[] {
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0)
  const closest = Math.min(maxTogetherMs, span / Math.max(1, times.length - 1) / 10)
  const reads: { atMs: number; deltas: number }[] = []
  let before = Number.NEGATIVE_INFINITY
  for (const atMs of times) {
    const last = reads.at(-1)
    if (last !== undefined && atMs - before <= closest) last.deltas += 1
    else reads.push({ atMs, deltas: 1 })
    before = atMs
  }
  return reads
}

/** Most of the text, after a pause long enough to have held it back. */
function isBurst({ atMs, deltas }: Read, before: Read | undefined, all: number): boolean {
  if (before === undefined || all < minDeltas) return false
  return deltas > all / 2 && atMs - before.atMs >= heldBackMs
}

/** Maximum time for which the first delta of a read waited for the last, at the pace of the target, in ms. */
function maxWait(reads: readonly Read[]): number {
  const [first, ...later] = reads
  const last = reads.at(-1)
  if (first === undefined || last === undefined || later.length === 0) return 0
  const made = later.reduce((sum, { deltas }) => sum + deltas, 0)
  const pace = (last.atMs - first.atMs) / made
  return Math.max(...reads.map(({ deltas }) => (deltas - 1) * pace))
}

function describe(deltas: number, reads: readonly Read[]): string {
  const came = `${count(deltas, 'delta')} arrived`
  const gaps = reads.slice(1).map(({ atMs }, at) => Math.round(atMs - (reads[at]?.atMs ?? 0)))
  const middle = medianOf(gaps)
  if (middle === null) {
    return `${came} in one read, ${Math.round(reads[0]?.atMs ?? 0)} ms after the request`
  }
  const apart = gaps.length === 1 ? `${middle} ms apart` : `mostly ${middle} ms apart`
  return `${came} in ${reads.length} reads, ${apart}`
}
