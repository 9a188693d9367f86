/** Effective sample size of a share whose requests come in long runs, as those behind one queue do. */

import { batchMeansOf, meanOf } from '../../contract/averages.ts'

const batches = 20

/**
 * Effective sample size as a share of all, 0 to 1: the variance of independent requests against that of
 * the means of 20 batches (Schmeiser, Operations Research 30, 1982). The autocorrelation of neighbours
 * alone would miss the busy periods of a queue: near its capacity they last for hundreds of requests.
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
