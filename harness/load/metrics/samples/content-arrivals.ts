import type { RequestRecord } from '../../record.ts'
import { isAnswered } from './latencies.ts'

/**
 * When the content of an answer arrived: at each piece, how many tokens and bytes. The record knows
 * the moments of the pieces and the totals; these are spread evenly over them, in whole numbers
 * that add up to the totals. An answer in one piece arrives at its end.
 */
export function forEachContentArrival(
  record: RequestRecord,
  take: (atNs: number, tokens: number, bytes: number, gapNs: number | null) => void,
): void {
  const { timestamps, counts, gapsNs } = record
  const tokens = isAnswered(record) ? (counts.outputTokens ?? 0) : 0
  const first = timestamps.firstGenerated
  if (first === null) {
    const end = timestamps.terminal ?? timestamps.ended
    if (end !== null) take(end, tokens, counts.bytes, null)
    return
  }
  const pieces = gapsNs.length + 1
  const part = (total: number, piece: number) =>
    Math.floor((total * (piece + 1)) / pieces) - Math.floor((total * piece) / pieces)
  take(first, part(tokens, 0), part(counts.bytes, 0), null)
  let at = first
  gapsNs.forEach((gap, index) => {
    at += gap
    take(at, part(tokens, index + 1), part(counts.bytes, index + 1), gap)
  })
}
