/** One probe of a capacity search: a rate, and how often each SLO's limit was exceeded at it. */

import { batchMeansOf, meanOf } from '../../contract/averages.ts'
import { decideShare } from '../load/statistics/shares.ts'
import type { TokenBucket } from './policy-limit.ts'

/** Requests over the limit of an SLO, and the share that it allows. */
export interface LimitCount {
  /** The SLO as it was written, such as `ttft.p95 < 500ms`. */
  readonly slo: string
  /** Share that may be over the limit, 0 to 1: 0.05 for a p95. */
  readonly allowed: number
  readonly requests: number
  readonly over: number
  /** Effective sample size as a share of `requests`, 0 to 1. */
  readonly independent: number
}

export interface Probe {
  /** Requests a second that were offered. */
  readonly rate: number
  readonly limits: readonly LimitCount[]
  /** Length as a multiple of the usual one; 1 if it is absent. */
  readonly effort?: number
  /** Start of the probe, milliseconds after that of the search. */
  readonly atMs: number
  /** False if the load generator was the bottleneck: the probe then counts for nothing. */
  readonly valid: boolean
  /** The generator was late though hardly busy: other programs took its CPUs, whatever the rate. */
  readonly isDisturbed?: true
  /** The rate limit that explains its refusals; absent if there is none. */
  readonly policy?: TokenBucket
}

type ProbeVerdict = 'met' | 'missed' | 'undecided'

/** Missed if one SLO is missed, met if all are; by a test at the confidence level of SLOs. */
export function verdictOf({ limits }: Probe): ProbeVerdict {
  const verdicts = limits.map(
    ({ requests, over, allowed, independent }) =>
      decideShare(requests, over, allowed, independent).verdict,
  )
  if (verdicts.includes('missed')) return 'missed'
  return verdicts.every((verdict) => verdict === 'met') ? 'met' : 'undecided'
}

const batches = 20

/**
 * Effective sample size as a share of all, 0 to 1: the variance of independent requests divided by that of
 * the means of 20 batches (Schmeiser, Operations Research 30, 1982). The autocorrelation of neighbors alone
 * would miss the busy periods of a queue, which last for hundreds of requests near its capacity.
 *
 * @param series 1 for a request over the limit, 0 for one within, in order of time
 */
export function independentShare(series: readonly number[]): number {
  const size = Math.floor(series.length / batches)
  const mean = meanOf(series) ?? Number.NaN
  const single = mean * (1 - mean)
  if (size < 5 || single === 0) return 1
  const means = batchMeansOf(series, batches, size)
  const variance = means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (batches - 1)
  return Math.min(1, single / (variance * size))
}
