import { effectiveSampleSize, lag1Autocorrelation } from './steady-state.ts'

/** Values of one part of a run: the number of those that count, such as the ones over a limit, or their sum, and of all. */
export interface Cluster {
  readonly count: number
  readonly of: number
}

/**
 * Variance of a share relative to that of as many independent values (the design effect of survey sampling),
 * by the differences between consecutive parts of a run: the linearized variance of a ratio (Cochran, Sampling
 * Techniques, 3rd ed. 1977, 6.3 and 11.9), and more if successive parts resemble each other. The autocorrelation
 * of single requests would miss the busy periods of a queue, which last for hundreds of them (Schmeiser,
 * Operations Research 30, 1982). Never below 1: less variation than by chance is not credited.
 *
 * @param variance of one value; for sums, whose variance the counts do not imply
 */
export function designEffect(parts: readonly Cluster[], variance?: number): number {
  const n = parts.reduce((sum, { of }) => sum + of, 0)
  const mean = parts.reduce((sum, { count }) => sum + count, 0) / n
  const filled = parts.filter(({ of }) => of > 0)
  const independent = (variance ?? mean * (1 - mean)) / n
  if (filled.length < 2 || !(independent > 0)) return 1
  const excess = filled.map((part) => part.count - mean * part.of)
  const squares = excess.reduce((sum, own) => sum + own ** 2, 0)
  const observed = ((filled.length / (filled.length - 1)) * squares) / (n * n)
  const worth = effectiveSampleSize(filled.length, lag1Autocorrelation(excess)) / filled.length
  return Math.max(1, observed / worth / independent)
}
