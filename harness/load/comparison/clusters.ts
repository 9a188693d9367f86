import { effectiveSampleSize, lag1Autocorrelation } from '../statistics/autocorrelation.ts'
import { studentQuantile } from '../statistics/student.ts'

/** A block of a run: how many of its values are at most some value, and how many values it has. */
export interface ClusterCount {
  readonly count: number
  readonly of: number
}

/**
 * Variance of a share over that of as many independent values (the design effect of survey sampling),
 * by the differences between blocks: the linearized variance of a ratio (Cochran, Sampling Techniques,
 * 3rd ed. 1977, 6.3 and 11.9), and more where successive blocks resemble each other. Never below 1:
 * fewer differences than chance would make are not credited.
 */
export function designEffect(blocks: readonly ClusterCount[]): number {
  const n = blocks.reduce((sum, { of }) => sum + of, 0)
  const count = blocks.reduce((sum, block) => sum + block.count, 0)
  const filled = blocks.filter(({ of }) => of > 0)
  const share = count / n
  const independent = (share * (1 - share)) / n
  if (filled.length < 2 || !(independent > 0)) return 1
  const excess = filled.map((block) => block.count - share * block.of)
  const squares = excess.reduce((sum, own) => sum + own ** 2, 0)
  const variance = ((filled.length / (filled.length - 1)) * squares) / (n * n)
  const worth = effectiveSampleSize(filled.length, lag1Autocorrelation([excess])) / filled.length
  return Math.max(1, variance / worth / independent)
}

/**
 * Values that a sample in blocks is worth, for exact binomial limits at a confidence: its size over the
 * design effect, and less by the degrees of freedom of so few blocks (Korn & Graubard, Survey
 * Methodology 24, 1998).
 */
export function effectiveSize(
  n: number,
  effect: number,
  blocks: number,
  confidence: number,
): number {
  if (blocks < 2 || n < 2) return 0
  const p = (1 + confidence) / 2
  const adjustment = (studentQuantile(p, n - 1) / studentQuantile(p, blocks - 1)) ** 2
  return (n / effect) * Math.min(1, adjustment)
}
