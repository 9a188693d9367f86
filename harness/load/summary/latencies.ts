import type { EndpointRow } from '../../../reports/load/model/measures.ts'
import { type Metric, type MetricName, metricNames } from '../../../reports/load/model/measures.ts'
import type { LatencyRecorder, MetricsConfig } from '../metrics/latency-recorder.ts'
import type { RunMetrics } from '../metrics/run-metrics.ts'
import type { SampledRequest } from '../metrics/samples/bottom-k-sample.ts'
import { censoredSample, distributionOf } from '../metrics/samples/distribution.ts'
import { Histogram } from '../metrics/samples/histogram.ts'
import type { LatencyEvidence, SloEvidence } from '../slo/decide.ts'
import type { RequestLimit } from '../slo/slo.ts'
import { twoClocked } from '../slo/slo.ts'
import { quantileEstimate } from '../statistics/quantile-interval.ts'
import { countAbandoned, countDue } from './rates.ts'
import { type Independence, type MeasuredWindow, neighborsOf } from './window.ts'

/**
 * Evidence for the SLOs of a run. Each uses the autocorrelation of its own figure: similar latencies of
 * neighbors do not imply similar failures.
 */
export function sloEvidence(run: RunMetrics, window: MeasuredWindow): SloEvidence {
  const group = run.group(window.from, window.to)
  const effectiveShare = neighborsOf(run, window.fromNs, window.toNs)
  const { outcomes } = group
  const of = countDue(outcomes)
  const { completed, outputTokens } = run.slices.sum(window.from, window.to)
  const failed = outcomes.shed + outcomes.failed + outcomes.notDispatched
  const share = (count: number, bad: (sampled: SampledRequest) => number | null) => {
    return { count, of, independent: effectiveShare(bad) }
  }
  return {
    latency: (limit) => latencyEvidence(group, limit, effectiveShare(seriesOf(run.config, limit))),
    goodput: share(outcomes.good, ({ good }) => (good === null ? null : Number(!good))),
    errors: share(failed, ({ failed }) => (failed === null ? null : Number(failed))),
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

/** @param share effective sample size of the values, as a share */
function latencyEvidence(
  group: LatencyRecorder,
  { metric, clock, limitNs, inclusive }: RequestLimit,
  share: number,
): LatencyEvidence {
  const ended = group.latencies(metric, clock) ?? new Histogram()
  const censored = group.censored(metric, clock) ?? new Histogram()
  const stillOver = censored.countOver(limitNs, inclusive)
  const decided = ended.count + stillOver
  const independent = share * streamShare(group, metric, { ttft: 1, e2e: 1 })
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

function finite(value: number | null): number | null {
  return value === Number.POSITIVE_INFINITY ? null : value
}

/** Every metric that the requests of a group have, by both clocks if it has two. */
export function metricRows(group: LatencyRecorder, independence: Independence): Metric[] {
  return metricNames.flatMap((name) => {
    const independent = streamShare(group, name, independence)
    const of = (clock: 'service' | 'response') =>
      distributionOf(group.latencies(name, clock), group.censored(name, clock), independent)
    const service = of('service')
    const response = twoClocked.includes(name) ? of('response') : null
    return service === null && response === null ? [] : [{ name, unit: 'ms', service, response }]
  })
}

/**
 * Effective sample size as a share. The gaps of one stream are far from independent of each other,
 * so a stream counts as one value however many gaps it has.
 */
function streamShare(
  group: LatencyRecorder,
  name: MetricName,
  { ttft, e2e }: Independence,
): number {
  if (name === 'icl') {
    const { streams, gaps } = group.outcomes
    return gaps === 0 ? 1 : Math.min(1, (e2e * streams) / gaps)
  }
  return upToFirstToken.includes(name) ? ttft : e2e
}

const upToFirstToken: readonly MetricName[] = ['connect', 'ttfb', 'ttfe', 'ttft', 'ttfo']

/** Figures by endpoint: counts of the whole run, latencies of the window. */
export function endpointRows(
  run: RunMetrics,
  { from, to }: Pick<MeasuredWindow, 'from' | 'to'>,
  endpoints: readonly Pick<EndpointRow, 'name' | 'baseUrl'>[],
  independence: Independence,
): EndpointRow[] {
  return endpoints.map(({ name, baseUrl }, index) => {
    const { outcomes } = run.group(0, Number.POSITIVE_INFINITY, { endpoint: index })
    const { requests, ok, failed, shed, open } = outcomes
    return {
      name,
      baseUrl,
      requests,
      completed: ok,
      failed,
      shed,
      open,
      left: countAbandoned(outcomes),
      metrics: metricRows(run.group(from, to, { endpoint: index }), independence),
    }
  })
}
