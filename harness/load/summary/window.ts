import type { Window } from '../../../reports/load/model/measures.ts'
import type { RunMetrics } from '../metrics/run-metrics.ts'
import type { SampledRequest } from '../metrics/samples/bottom-k-sample.ts'
import {
  effectiveSampleSize,
  lag1Autocorrelation,
  mser5,
  steadyState,
} from '../statistics/steady-state.ts'

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
          method: `${seconds(options.warmUpNs)} of warm-up as given by --warm-up`,
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

export type Independence = ReturnType<typeof independenceOf>

/** Effective sample sizes, as shares, of latencies up to the first token and of others. */
export function independenceOf(run: RunMetrics, fromNs: number, toNs: number) {
  const effectiveShare = neighborsOf(run, fromNs, toNs)
  return {
    ttft: effectiveShare(({ ttftNs }) => ttftNs),
    e2e: effectiveShare(({ e2eNs }) => e2eNs),
  }
}

/**
 * Returns a function to the effective sample size of a figure, as a share of the sample, by the autocorrelation
 * of requests with their neighbors in the plan; 1 if the figure never changes.
 */
export function neighborsOf(run: RunMetrics, fromNs: number, toNs: number) {
  const runs = run.sample
    .blocks()
    .map((block) => block.filter(({ plannedNs }) => plannedNs >= fromNs && plannedNs < toNs))
  return (read: (sampled: SampledRequest) => number | null): number => {
    const values = runs.map((block) => block.flatMap((sampled) => read(sampled) ?? []))
    return effectiveSampleSize(1e6, lag1Autocorrelation(values)) / 1e6
  }
}
