import type { RunMetrics } from '../metrics/run-metrics.ts'
import type { SampledRequest } from '../metrics/samples/bottom-k-sample.ts'
import type { RequestLimit } from '../slo/slo.ts'
import {
  effectiveSampleSize,
  episodesOf,
  lag1Autocorrelation,
} from '../statistics/autocorrelation.ts'

/** Effective sample size as a share of the sample, for each kind of figure. */
export interface Independence {
  /** Share for latencies up to the first token. */
  readonly ttft: number
  readonly e2e: number
}

/** Independence by the sample of neighbours that were planned between two moments. */
export function independenceOf(run: RunMetrics, fromNs: number, toNs: number): Independence {
  const neighbours = new Neighbours(run, fromNs, toNs)
  return {
    ttft: neighbours.effectiveShare(({ ttftNs }) => ttftNs),
    e2e: neighbours.effectiveShare(({ e2eNs }) => e2eNs),
  }
}

/** Autocorrelation of requests with their neighbours in the plan. */
export class Neighbours {
  readonly #runs: readonly (readonly SampledRequest[])[]

  constructor(run: RunMetrics, fromNs: number, toNs: number) {
    this.#runs = run.sample
      .blocks()
      .map((block) => block.filter(({ plannedNs }) => plannedNs >= fromNs && plannedNs < toNs))
  }

  /** Effective sample size of a figure, as a share of the sample; 1 where it never changes. */
  effectiveShare(read: (sampled: SampledRequest) => number | null): number {
    const values = this.#runs.map((block) => block.flatMap((sampled) => read(sampled) ?? []))
    return effectiveSampleSize(1e6, lag1Autocorrelation(values)) / 1e6
  }

  /** Null if the sample is incomplete and may lack episodes. */
  episodes(of: number, read: (sampled: SampledRequest) => boolean | null): number | null {
    const all = this.#runs.flat()
    return all.length < of ? null : episodesOf(all.map(read))
  }
}

export function isOver({ limitNs, inclusive }: RequestLimit, ns: number): boolean {
  return inclusive ? ns > limitNs : ns >= limitNs
}
