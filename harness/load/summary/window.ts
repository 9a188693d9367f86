import type { Window } from '../../../contract/report/load/measures.ts'
import type { RunMetrics } from '../metrics/run-metrics.ts'
import { mser5 } from '../statistics/mser.ts'
import { steadyState } from '../statistics/steady-state.ts'

/** The part of a run that is measured: slices from one up to another. */
export interface MeasuredWindow {
  readonly from: number
  readonly to: number
  readonly fromNs: number
  readonly toNs: number
  readonly row: Window
}

export interface WindowOptions {
  /**
   * `auto`: MSER-5 finds the end of the warm-up; right for a constant rate or concurrency. Give 0
   * for a ramp or steps, where early and late differ on purpose.
   */
  readonly warmUpNs: number | 'auto'
  /** End of an interrupted run, otherwise of the plan. The drain is excluded. */
  readonly untilNs: number
}

/** The cut falls on the end of a slice, a fortieth of the plan. At most half of the run is cut. */
export function measuredWindow(run: RunMetrics, options: WindowOptions): MeasuredWindow {
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
  const { verdict, message } = steadyState(kept)
  return {
    from,
    to,
    fromNs,
    toNs: to * width,
    row: {
      fromMs: fromNs / 1e6,
      toMs: Math.min(to * width, untilNs) / 1e6,
      method,
      steady: { verdict, message },
    },
  }
}

interface Value {
  readonly plannedNs: number
  readonly value: number
}

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

/** First-token times where most requests have one, otherwise the whole time. */
function windowSeries(run: RunMetrics, untilNs: number): { name: string; values: Value[] } {
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
