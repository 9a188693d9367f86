import type { EndpointRow } from '../../../contract/report/load/measures.ts'
import {
  type Metric,
  type MetricName,
  metricNames,
} from '../../../contract/report/load/measures.ts'
import type { LatencyRecorder } from '../metrics/latency-recorder.ts'
import type { RunMetrics } from '../metrics/run-metrics.ts'
import { distributionOf } from '../metrics/samples/distribution.ts'
import { twoClocked } from '../slo/slo.ts'
import { countAbandoned } from './rates.ts'
import type { Independence, MeasuredWindow } from './window.ts'

/** Every metric that the requests of a group have, by both clocks if it has two. */
export function metricRows(group: LatencyRecorder, independence: Independence): Metric[] {
  return metricNames.flatMap((name) => {
    const row = metricRow(group, name, independence)
    return row === null ? [] : [row]
  })
}

export function metricRow(
  group: LatencyRecorder,
  name: MetricName,
  independence: Independence,
): Metric | null {
  const independent = streamShare(group, name, independence)
  const of = (clock: 'service' | 'response') =>
    distributionOf(group.latencies(name, clock), group.censored(name, clock), independent)
  const service = of('service')
  const response = twoClocked.includes(name) ? of('response') : null
  return service === null && response === null ? null : { name, unit: 'ms', service, response }
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
  return endsWithFirstToken(name) ? ttft : e2e
}

/** True if a metric ends with the first token. */
function endsWithFirstToken(name: MetricName): boolean {
  return ['connect', 'ttfb', 'ttfe', 'ttft', 'ttfo'].includes(name)
}

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
