import {
  type EndpointRow,
  type Metric,
  metricNames,
  type Window,
} from '../../../reports/load/model/measures.ts'
import { countAbandoned, type LatencyRecorder } from '../metrics/latency-recorder.ts'
import type { RunMetrics } from '../metrics/run-metrics.ts'
import { distributionOf } from '../metrics/samples/distribution.ts'
import { twoClocked } from '../slo/slo.ts'
import { type Cluster, designEffect, mser5, steadyState } from '../statistics/steady-state.ts'

/** The part of a run that is measured: slices from one up to another. */
export type MeasuredWindow = ReturnType<typeof measuredWindow>

export interface WindowOptions {
  /**
   * `auto`: MSER-5 finds the end of the warm-up; right for a constant rate or concurrency. Give 0
   * for a ramp or steps, if early and late differ on purpose.
   */
  readonly warmUpNs: number | 'auto'
  /** End of an interrupted run, otherwise of the plan. The drain is excluded. */
  readonly untilNs: number
}

/** The cut falls on the end of a slice, a fortieth of the plan. At most half of the run is cut. */
export function measuredWindow(run: RunMetrics, options: WindowOptions) {
  const width = run.slices.widthNs
  const untilNs = Math.min(options.untilNs, run.config.durationNs)
  const to = Math.max(1, Math.round(untilNs / width))
  const { name, values } = windowSeries(run, untilNs)
  const { cutNs, method } =
    options.warmUpNs === 'auto'
      ? warmUp(name, values, inFlight(run, untilNs))
      : {
          cutNs: options.warmUpNs,
          method:
            options.warmUpNs === 0
              ? 'no warm-up is cut'
              : `${seconds(options.warmUpNs)} of warm-up as given by --warm-up`,
        }
  const from = Math.min(Math.ceil(cutNs / width), to - 1)
  const fromNs = from * width
  const kept = values.filter(({ plannedNs }) => plannedNs >= fromNs).map(({ value }) => value)
  return {
    from,
    to,
    fromNs,
    toNs: to * width,
    row: {
      fromMs: fromNs / 1e6,
      toMs: Math.min(to * width, untilNs) / 1e6,
      method,
      steady: steadyState(kept),
    } satisfies Window,
  }
}

type Value = ReturnType<typeof windowSeries>['values'][number]

function warmUp(name: string, values: readonly Value[], inFlight: readonly number[]) {
  const byLatency = mser5(values.map(({ value }) => value))
  const byLoad = mser5(inFlight)
  if (!byLatency.settled && values.length >= 50) {
    return { cutNs: 0, method: `MSER-5 found no end of the warm-up on ${name}; nothing is cut` }
  }
  const latencyNs = byLatency.cut === 0 ? 0 : (values[byLatency.cut]?.plannedNs ?? 0)
  const loadNs = byLoad.cut * 1e9
  const cutNs = Math.max(latencyNs, loadNs)
  if (values.length < 50) {
    return { cutNs, method: `${values.length} requests are too few for MSER-5 on ${name}` }
  }
  return { cutNs, method: `MSER-5 on ${loadNs > latencyNs ? 'requests in flight' : name}` }
}

/** First-token times if most requests have one, otherwise the whole time. */
function windowSeries(run: RunMetrics, untilNs: number) {
  const all = run.sample.blocks().flat()
  const sampled = all.filter(({ plannedNs }) => plannedNs < untilNs)
  const streamed = sampled.filter(({ ttftNs }) => ttftNs !== null).length
  const name = 2 * streamed >= sampled.length ? 'ttft' : 'e2e'
  const values = sampled.flatMap(({ plannedNs, ttftNs, e2eNs }) => {
    const value = name === 'ttft' ? ttftNs : e2eNs
    return value === null ? [] : [{ plannedNs, value }]
  })
  return { name, values }
}

function inFlight(run: RunMetrics, untilNs: number): number[] {
  const whole = Math.floor(untilNs / 1e9)
  return run.seconds
    .rows()
    .filter(({ index }) => index < whole)
    .map((row) => row.inFlight)
}

function seconds(ns: number): string {
  return `${Number((ns / 1e9).toFixed(3))} s`
}

/** Recorders of the slices of a window, in order. */
function slicesOf(
  run: RunMetrics,
  { from, to }: Pick<MeasuredWindow, 'from' | 'to'>,
  only: Parameters<RunMetrics['group']>[2] = {},
): readonly LatencyRecorder[] {
  return Array.from({ length: to - from }, (_, at) => run.group(from + at, from + at + 1, only))
}

/**
 * Evidence for the SLOs of a run. Each has the effective sample size of its own figure: similar latencies of
 * successive requests do not imply similar failures.
 */
export function sloEvidence(run: RunMetrics, window: MeasuredWindow) {
  const { from, to, fromNs, toNs } = window
  const slices = slicesOf(run, window)
  const { completed, outputTokens } = run.slices.sum(from, to)
  return {
    group: run.group(from, to),
    /**
     * Effective sample size, as a share, of what is counted or summed in each slice of the window.
     * @param variance of one value, for sums
     */
    independent: (read: (slice: LatencyRecorder) => Cluster, variance?: number) =>
      1 / designEffect(slices.map(read), variance),
    windowNs: toNs - fromNs,
    completed,
    outputTokens,
  }
}

/** Every metric that the requests of a group have in the window, by both clocks if it has two. */
export function metricRows(
  run: RunMetrics,
  window: Pick<MeasuredWindow, 'from' | 'to'>,
  only: Parameters<RunMetrics['group']>[2] = {},
): Metric[] {
  const group = run.group(window.from, window.to, only)
  const slices = slicesOf(run, window, only)
  return metricNames.flatMap((name) => {
    const of = (clock: 'service' | 'response') =>
      distributionOf(group.latencies(name, clock), group.censored(name, clock), (ns) => {
        const limit = { metric: name, clock, limitNs: ns, inclusive: true }
        const effect = designEffect(slices.map((slice) => slice.over(limit)))
        return Math.min(1 / effect, group.streamShare(name))
      })
    const service = of('service')
    const response = twoClocked.includes(name) ? of('response') : null
    return service === null && response === null ? [] : [{ name, unit: 'ms', service, response }]
  })
}

/** Figures by endpoint: counts of the whole run, latencies of the window. */
export function endpointRows(
  run: RunMetrics,
  window: Pick<MeasuredWindow, 'from' | 'to'>,
  endpoints: readonly Pick<EndpointRow, 'name' | 'baseUrl'>[],
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
      metrics: metricRows(run, window, { endpoint: index }),
    }
  })
}
