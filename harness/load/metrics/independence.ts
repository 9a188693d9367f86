import { effectiveSampleSize, lag1Autocorrelation } from '../statistics/autocorrelation.ts'
import type { Sampled } from './reservoir.ts'
import type { RunMetrics } from './run-metrics.ts'

/** Effective sample size as a share of the sample, for each kind of figure. */
export interface Independence {
  /** Of everything up to the first token. */
  readonly ttft: number
  readonly e2e: number
  /** Of being good. */
  readonly good: number
}

/** From the sample of neighbours that were planned between two moments. */
export function independenceOf(run: RunMetrics, fromNs: number, toNs: number): Independence {
  const runs = run.sample
    .runs()
    .map((block) => block.filter(({ plannedNs }) => plannedNs >= fromNs && plannedNs < toNs))
  const share = (read: (sampled: Sampled) => number | null) => {
    const values = runs.map((block) => block.flatMap((sampled) => read(sampled) ?? []))
    return effectiveSampleSize(1e6, lag1Autocorrelation(values)) / 1e6
  }
  const ttft = share(({ ttftNs }) => ttftNs)
  const e2e = share(({ e2eNs }) => e2eNs)
  return { ttft, e2e, good: share(({ good }) => (good === null ? null : Number(good))) }
}
