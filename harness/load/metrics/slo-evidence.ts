import type { LatencyEvidence, SloEvidence } from '../slo/decide.ts'
import type { RequestLimit } from '../slo/slo.ts'
import { quantileEstimate } from '../statistics/quantile-interval.ts'
import { Buckets } from './buckets.ts'
import { censoredSample } from './distribution.ts'
import type { Group } from './group.ts'
import { type Independence, independenceOf } from './independence.ts'
import { independentShare } from './metric-rows.ts'
import { dueIn } from './rates.ts'
import type { RunMetrics } from './run-metrics.ts'
import type { MeasuredWindow } from './window.ts'

/** What the SLOs of a run are decided on. */
export function sloEvidence(run: RunMetrics, window: MeasuredWindow): SloEvidence {
  const group = run.group(window.from, window.to)
  const independence = independenceOf(run, window.fromNs, window.toNs)
  const { outcomes } = group
  const of = dueIn(outcomes)
  const { completed, outputTokens } = run.slices.sum(window.from, window.to)
  const failed = outcomes.shed + outcomes.failed + outcomes.notDispatched
  return {
    latency: (limit) => latencyEvidence(group, limit, independence),
    goodput: { count: outcomes.good, of, independent: independence.good },
    errors: { count: failed, of, independent: independence.good },
    windowNs: window.toNs - window.fromNs,
    completed,
    outputTokens,
  }
}

function latencyEvidence(
  group: Group,
  { metric, clock, limitNs, inclusive }: RequestLimit,
  independence: Independence,
): LatencyEvidence {
  const ended = group.latencies(metric, clock) ?? new Buckets()
  const censored = group.censored(metric, clock) ?? new Buckets()
  const stillOver = censored.over(limitNs, inclusive)
  const independent = independentShare(group, metric, independence)
  return {
    known: ended.count + stillOver,
    over: ended.over(limitNs, inclusive) + stillOver,
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

function finite(value: number | null): number | null {
  return value === Number.POSITIVE_INFINITY ? null : value
}
