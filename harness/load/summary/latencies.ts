import type { EndpointRow } from '../../../reports/load/model/measures.ts'
import { type Metric, type MetricName, metricNames } from '../../../reports/load/model/measures.ts'
import { countAbandoned, type LatencyRecorder } from '../metrics/latency-recorder.ts'
import type { RunMetrics } from '../metrics/run-metrics.ts'
import { distributionOf } from '../metrics/samples/distribution.ts'
import type { SloEvidence } from '../slo/decide.ts'
import { twoClocked } from '../slo/slo.ts'
import { type Independence, type MeasuredWindow, neighborsOf } from './window.ts'

/**
 * Evidence for the SLOs of a run. Each uses the autocorrelation of its own figure: similar latencies of
 * neighbors do not imply similar failures.
 */
export function sloEvidence(
  run: RunMetrics,
  { from, to, fromNs, toNs }: MeasuredWindow,
): SloEvidence {
  const group = run.group(from, to)
  const effectiveShare = neighborsOf(run, fromNs, toNs)
  const { completed, outputTokens } = run.slices.sum(from, to)
  const { watched = [] } = run.config
  return {
    group,
    independent: (of) => {
      if (of === 'goodput')
        return effectiveShare(({ good }) => (good === null ? null : Number(!good)))
      if (of === 'errors')
        return effectiveShare(({ failed }) => (failed === null ? null : Number(failed)))
      const at = watched.findIndex(
        ({ metric, clock }) => metric === of.metric && clock === of.clock,
      )
      const neighbors = effectiveShare((sampled) => sampled.watched[at] ?? null)
      return neighbors * streamShare(group, of.metric, { ttft: 1, e2e: 1 })
    },
    windowNs: toNs - fromNs,
    completed,
    outputTokens,
  }
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
