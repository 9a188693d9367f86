import type { Delivery } from '../../../contract/report/load/measures.ts'
import type { LatencyRecorder } from '../metrics/latency-recorder.ts'
import type { Histogram } from '../metrics/samples/histogram.ts'

/** Share of deltas that came with another one; from it on they came in lumps. */
const coalescedShare = 2 / 3
/** Streams of fewer deltas may well fit into one read. */
const minDeltas = 4
/** Lumps keep time where half of the pauses between them differ by so much at most, as a share. */
const maxPauseSpread = 0.2
const minPauses = 20
/** Minimum pause between two lumps; shorter gaps are reads of one lump. */
const pauseNs = 1e6

/** Null if no answer had two deltas. */
export function describeDelivery(group: LatencyRecorder): Delivery | null {
  const { deliveredStreams, deltas, contentReads, inOneRead, firstReadDeltas, ...counts } =
    group.outcomes
  if (deliveredStreams === 0) return null
  const gaps = deltas - deliveredStreams
  const together = (deltas - contentReads) / gaps
  const many = deltas / deliveredStreams >= minDeltas
  const lumps = !many
    ? 'none'
    : inOneRead / deliveredStreams >= 0.5
      ? 'whole'
      : together >= coalescedShare
        ? 'some'
        : 'none'
  return {
    streams: deliveredStreams,
    deltas,
    reads: contentReads,
    together,
    inOneRead,
    firstRead: firstReadDeltas / deliveredStreams,
    lumps,
    usage: {
      equal: counts.deltasEqualTokens,
      more: counts.deltasOverTokens,
      fewer: counts.deltasUnderTokens,
    },
    lumpMs: lumps === 'some' ? evenPause(group.latencies('icl', 'service')) : null,
  }
}

/** The usual pause between lumps, milliseconds; null where there is none. */
function evenPause(gaps: Histogram | undefined): number | null {
  const pauses = gaps?.buckets().filter(({ low }) => low >= pauseNs) ?? []
  const total = pauses.reduce((sum, { count }) => sum + count, 0)
  if (total < minPauses) return null
  const at = (share: number) => {
    let reached = 0
    for (const { low, high, count } of pauses) {
      reached += count
      if (reached >= share * total) return (low + high) / 2
    }
    return 0
  }
  const middle = at(0.5)
  return at(0.75) - at(0.25) <= maxPauseSpread * middle ? middle / 1e6 : null
}
