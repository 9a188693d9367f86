import { quantileName, rankOf } from '../../../contract/averages.ts'
import type { Quantile } from '../../../reports/load/model/measures.ts'
import { binomialAtLeast, binomialCdf, lastWhere } from './shares.ts'

/**
 * Distribution-free interval of a quantile. Of n independent values, the number below the true
 * quantile q is binomial(n, q), so two order statistics enclose it with a known probability, whatever
 * the distribution (David & Nagaraja, Order Statistics, 3rd ed. 2003, 7.1). No resampling, and it
 * works on histogram buckets.
 */
type Limits = Readonly<Record<'low' | 'high', number | null>>

/** Ranks from 1, with at most `(1 - confidence) / 2` of error on either side; null if the sample is too small for one. */
export function quantileRanks(n: number, q: number, confidence = 0.95): Limits {
  const error = (1 - confidence) / 2
  // X(r) > quantile means that fewer than r values lie below it: P[B <= r - 1].
  const low = lastWhere((rank) => binomialCdf(rank - 1, n, q) <= error, 0, n + 1)
  // X(r) < quantile means that r or more values do: P[B >= r].
  const misses = lastWhere((rank) => binomialAtLeast(n + 1 - rank, n, q) <= error, 0, n + 1)
  return { low: low === 0 ? null : low, high: misses === 0 ? null : n + 1 - misses }
}

/**
 * Minimum number of values for a quantile: with fewer than `3 / (1 - q)`, the largest value of all is below
 * the quantile with more than 5 % probability (`q ** n > 0.05`; the rule of three, Hanley & Lippman-Hand,
 * JAMA 249, 1983), so no figure of the sample can represent it: 300 for p99, 3,000 for p99.9. The same holds
 * below the median, from the other end.
 */
export function minimumSamples(q: number): number {
  const tail = Math.min(q, 1 - q)
  return Math.ceil(3 / tail - 1e-6)
}

/**
 * A quantile with its interval, or the reason for none if the sample is too small.
 *
 * Neighbors in a run resemble each other, so ranks are found for `effective` independent values and
 * stretched over all of them, outwards if they fall between two. Buckets are taken at the end that
 * makes the interval wider.
 */
export function quantileEstimate(
  sample: OrderedSample,
  q: number,
  effective = sample.count,
): Quantile {
  const n = sample.count
  const minSamples = minimumSamples(q)
  if (n < minSamples) {
    const why = `n is ${n}; ${quantileName(q)} needs ${minSamples}`
    return { q, value: null, low: null, high: null, why }
  }
  const independent = Math.max(1, Math.min(n, Math.floor(effective)))
  const limits = quantileLimits(sample, q, independent, 0.95)
  return { q, value: sample.highAt(rankOf(q, n)), ...limits, why: null }
}

/** Limits of a quantile from so many independent values. */
export function quantileLimits(
  sample: OrderedSample,
  q: number,
  independent: number,
  confidence: number,
): Limits {
  const { low, high } = quantileRanks(independent, q, confidence)
  // Multiply first, so that integer ranks stay integers.
  const stretched = (rank: number) => (rank * sample.count) / independent
  return {
    low: low === null ? null : sample.lowAt(Math.floor(stretched(low - 1)) + 1),
    high: high === null ? null : sample.highAt(Math.ceil(stretched(high))),
  }
}

/**
 * Values in ascending order, addressed by rank from 1 to `count`. With values counted in buckets, a rank is
 * only known to lie between the two ends of its bucket.
 */
export interface OrderedSample {
  readonly count: number
  lowAt(rank: number): number
  highAt(rank: number): number
}

/** The sample of plain numbers, in any order. */
export function sampleOf(values: Iterable<number>): OrderedSample {
  const sorted = Float64Array.from(values).sort()
  const at = (rank: number) => sorted[rank - 1] ?? Number.NaN
  return { count: sorted.length, lowAt: at, highAt: at }
}

/** Requests that ended at a value, and those known only to have taken longer. */
export interface LifeTable {
  readonly value: number
  readonly ended: number
  readonly censored: number
}

/**
 * Quantile of a latency if some requests were still running or given up when last seen: leaving them out
 * would make a stuck target look fast. The product-limit estimator (Kaplan & Meier, J. Am. Stat. Assoc. 53,
 * 1958): the share still running after a value is the product of `1 - ended / at risk`; those censored at a
 * value still count as at risk there.
 *
 * `table` is in ascending order of value, one row a value. Null if the estimate never reaches the
 * quantile, because too many were censored before it.
 */
export function kaplanMeierQuantile(table: readonly LifeTable[], q: number): number | null {
  let atRisk = table.reduce((sum, { ended, censored }) => sum + ended + censored, 0)
  let running = 1
  for (const { value, ended, censored } of table) {
    if (ended > 0) running *= 1 - ended / atRisk
    // Rounding of the product must not shift an estimate by a whole value.
    if (ended > 0 && running <= 1 - q + 1e-9) return value
    atRisk -= ended + censored
  }
  return null
}
