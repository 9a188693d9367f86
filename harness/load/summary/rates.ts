import type { LoadBlock, LoadBlocks } from '../../../reports/load/model/comparison.ts'
import {
  type Disturbances,
  type ErrorCounter,
  type ErrorRow,
  errorCounters,
} from '../../../reports/load/model/integrity.ts'
import type {
  Delivery,
  Goodput,
  MetricName,
  Rates,
  Stalls,
} from '../../../reports/load/model/measures.ts'
import { countDecided, countDue, type LatencyRecorder } from '../metrics/latency-recorder.ts'
import type { RunMetrics } from '../metrics/run-metrics.ts'
import { type Histogram, milliseconds } from '../metrics/samples/histogram.ts'
import { twoClocked } from '../slo/slo.ts'
import type { MeasuredWindow } from './window.ts'

/** Five rates, each counted at the moment of its event, so that none includes the drain. */
export function ratesOf(run: RunMetrics, window: MeasuredWindow): Rates {
  const measured = run.slices.sum(window.from, window.to)
  const whole = run.slices.sum(0, Number.POSITIVE_INFINITY)
  const rate = (name: 'planned' | 'dispatched' | 'completed' | 'shed' | 'failed') => ({
    count: measured[name],
    perSecond: measured[name] / secondsOf(window),
    wholeRun: whole[name],
  })
  return {
    offered: rate('planned'),
    dispatched: rate('dispatched'),
    completed: rate('completed'),
    shed: rate('shed'),
    failed: rate('failed'),
  }
}

/** Goodput by the planned moment, whenever the answer came; open requests that are overdue are not good. */
export function goodputOf({ outcomes }: LatencyRecorder, window: MeasuredWindow): Goodput {
  const due = countDecided(outcomes)
  const { good } = outcomes
  return { good, due, share: due === 0 ? null : good / due, perSecond: good / secondsOf(window) }
}

export function stallsOf(group: LatencyRecorder, stallNs: number): Stalls | null {
  const { streams, stalledStreams, stalledGaps, stalledNs, streamedNs, gaps, coalescedGaps } =
    group.outcomes
  if (streams === 0) return null
  const { maxNs } = group.latencies('icl', 'service')
  return {
    overMs: stallNs / 1e6,
    streams,
    stalled: stalledStreams,
    stalls: stalledGaps,
    share: streamedNs === 0 ? 0 : stalledNs / streamedNs,
    longestMs: milliseconds(maxNs),
    gaps,
    coalesced: gaps === 0 ? 0 : coalescedGaps / gaps,
  }
}

function secondsOf({ fromNs, toNs }: MeasuredWindow): number {
  return (toNs - fromNs) / 1e9
}

/** Counts failures by what they mean for the target. Load never retries. */
export function disturbancesOf(errors: readonly ErrorRow[]): Disturbances {
  const counts = Object.fromEntries(errorCounters.map((name) => [name, 0])) as Record<
    ErrorCounter,
    number
  >
  for (const { counter, count } of errors) counts[counter] += count
  return { ...counts, retries: 0 }
}

/** Share of deltas that arrive with another one, from which on they count as lumps. */
const coalescedShare = 2 / 3
/** Minimum deltas in a stream: fewer may well fit into one read. */
const minDeltas = 4
/** Maximum spread of the middle half of the pauses between regular lumps, as a share. */
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
  const isWhole = many && inOneRead / deliveredStreams >= 0.5
  const lumps = isWhole ? 'whole' : many && together >= coalescedShare ? 'some' : 'none'
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

/** The usual pause between lumps, milliseconds; null if irregular. */
function evenPause(gaps: Histogram): number | null {
  const pauses = gaps.buckets().filter(({ low }) => low >= pauseNs)
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

/** Latencies that two runs are compared by. */
export const comparedLatencies = ['ttft', 'tpot', 'icl', 'e2e'] as const satisfies MetricName[]

/** Slices of a run in one block: 10 to 20 blocks in the measured window. */
const slicesPerBlock = 2

/** The measured window in blocks; slices that fill no block are left out at the start. */
export function blocksOf(run: RunMetrics, { from, to }: MeasuredWindow): LoadBlocks {
  const blocks = Math.floor((to - from) / slicesPerBlock)
  const first = to - blocks * slicesPerBlock
  return {
    blockMs: (slicesPerBlock * run.slices.widthNs) / 1e6,
    blocks: Array.from({ length: blocks }, (_, index) =>
      blockOf(run, first + index * slicesPerBlock),
    ),
  }
}

function blockOf(run: RunMetrics, from: number): LoadBlock {
  const to = from + slicesPerBlock
  const group = run.group(from, to)
  const { outcomes } = group
  const { completed, outputTokens } = run.slices.sum(from, to)
  return {
    due: countDue(outcomes),
    ok: outcomes.ok,
    good: outcomes.good,
    overdue: outcomes.overdue,
    completed,
    outputTokens,
    latencies: comparedLatencies.flatMap((metric) => {
      const clock = twoClocked.includes(metric) ? 'response' : 'service'
      const ended = group.latencies(metric, clock)
      const censored = group.censored(metric, clock).count
      if (ended.count + censored === 0) return []
      return [{ metric, clock, counts: [...ended.counts].sort(([a], [b]) => a - b), censored }]
    }),
  }
}
