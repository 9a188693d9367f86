import { meanOf } from './block-estimates.ts'
import type { RatioEstimate } from './estimate.ts'

/**
 * Ratio from pairs of neighbouring blocks: Student's limits of the mean logarithm of the ratio of a pair.
 * What changes slowly affects both blocks of a pair and cancels.
 */
export function ratioOfPairs(pairs: readonly (readonly [a: number, b: number])[]): RatioEstimate {
  const logs = meanOf(pairs.map(([a, b]) => Math.log(b / a)))
  return {
    value: Math.exp(logs.value),
    limits: (confidence) => {
      const { low, high } = logs.limits(confidence)
      return {
        low: low === null ? 0 : Math.exp(low),
        high: high === null ? Number.POSITIVE_INFINITY : Math.exp(high),
      }
    },
  }
}
