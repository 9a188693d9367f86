import type { LatencyRecorder } from '../metrics/latency-recorder.ts'
import type { MetricsConfig, RunMetrics } from '../metrics/run-metrics.ts'
import type { SampledRequest } from '../metrics/samples/bottom-k-sample.ts'
import { censoredSample } from '../metrics/samples/distribution.ts'
import { Histogram } from '../metrics/samples/histogram.ts'
import type { LatencyEvidence, ShareEvidence, SloEvidence } from '../slo/decide.ts'
import type { RequestLimit } from '../slo/slo.ts'
import { quantileEstimate } from '../statistics/quantile-interval.ts'
import { countDue } from './rates.ts'
import { type MeasuredWindow, Neighbors } from './window.ts'

/**
 * Evidence for the SLOs of a run. Each uses the autocorrelation of its own figure: similar latencies of
 * neighbors do not imply similar failures.
 */
export function sloEvidence(run: RunMetrics, window: MeasuredWindow): SloEvidence {
  const group = run.group(window.from, window.to)
  const neighbors = new Neighbors(run, window.fromNs, window.toNs)
  const { outcomes } = group
  const of = countDue(outcomes)
  const { completed, outputTokens } = run.slices.sum(window.from, window.to)
  const failed = outcomes.shed + outcomes.failed + outcomes.notDispatched
  const share = (
    count: number,
    bad: (sampled: SampledRequest) => boolean | null,
  ): ShareEvidence => ({
    count,
    of,
    independent: neighbors.effectiveShare((sampled) => asNumber(bad(sampled))),
  })
  return {
    latency: (limit) =>
      latencyEvidence(group, limit, { neighbors, read: seriesOf(run.config, limit) }),
    goodput: share(outcomes.good, ({ good }) => (good === null ? null : !good)),
    errors: share(failed, ({ failed }) => failed ?? null),
    windowNs: window.toNs - window.fromNs,
    completed,
    outputTokens,
  }
}

/** Values of a latency that an SLO limits. */
function seriesOf({ watched = [] }: MetricsConfig, { metric, clock }: RequestLimit) {
  const at = watched.findIndex((own) => own.metric === metric && own.clock === clock)
  return (sampled: SampledRequest) => sampled.watched[at] ?? null
}

interface OwnSeries {
  readonly neighbors: Neighbors
  readonly read: (sampled: SampledRequest) => number | null
}

function latencyEvidence(
  group: LatencyRecorder,
  limit: RequestLimit,
  { neighbors, read }: OwnSeries,
): LatencyEvidence {
  const { metric, clock, limitNs, inclusive } = limit
  const ended = group.latencies(metric, clock) ?? new Histogram()
  const censored = group.censored(metric, clock) ?? new Histogram()
  const stillOver = censored.countOver(limitNs, inclusive)
  const decided = ended.count + stillOver
  const independent = neighbors.effectiveShare(read) * perStream(group, limit)
  return {
    decided,
    over: ended.countOver(limitNs, inclusive) + stillOver,
    independent,
    count: ended.count,
    meanNs: ended.meanNs,
    deviationNs: ended.deviationNs,
    quantile: (q) => {
      const sample = censoredSample(ended, censored)
      const { value, low, high, ...rest } = quantileEstimate(sample, q, sample.count * independent)
      return { ...rest, value: finite(value), low: finite(low), high: finite(high) }
    },
  }
}

/** Gaps of one stream are far from independent: a stream counts as one value, however many it has. */
function perStream({ outcomes }: LatencyRecorder, { metric }: RequestLimit): number {
  if (metric !== 'icl' || outcomes.gaps === 0) return 1
  return Math.min(1, outcomes.streams / outcomes.gaps)
}

function asNumber(value: boolean | null): number | null {
  return value === null ? null : Number(value)
}

function finite(value: number | null): number | null {
  return value === Number.POSITIVE_INFINITY ? null : value
}
