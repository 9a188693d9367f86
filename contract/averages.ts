/** Averages and quantiles of numbers; null of none, so that each caller says what stands for it. */

/** Arithmetic mean. */
export function meanOf(values: readonly number[] | Float64Array): number | null {
  if (values.length === 0) return null
  let sum = 0
  for (const value of values) sum += value
  return sum / values.length
}

/** Median; of an even number of values the upper of the two in the middle, so that it is one of them. */
export function medianOf(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null
}

/** Median by nearest rank, as p50 has it: of an even number of values the lower of the two in the middle. */
export function lowerMedianOf(values: readonly number[]): number | null {
  return quantileOf(values, 0.5)
}

/** Quantile by nearest rank, of values in any order. */
export function quantileOf(values: readonly number[], q: number): number | null {
  return values.toSorted((a, b) => a - b)[rankOf(q, values.length) - 1] ?? null
}

/** Rank of a quantile, by nearest rank: the smallest one that at least a share of `q` reaches. */
export function rankOf(q: number, count: number): number {
  const exact = q * count
  const nearest = Math.round(exact)
  // 0.99 * 300 is 297.00000000000006 in binary; it is meant to be 297.
  const rank = Math.abs(exact - nearest) < 1e-9 * count ? nearest : Math.ceil(exact)
  return Math.min(count, Math.max(1, rank))
}

/** `p50`, `p99`, `p99.9`. */
export function quantileName(q: number): string {
  return `p${Number((q * 100).toPrecision(10))}`
}

/** Means of `count` batches of `size` neighbors each, from the first value on; the rest is left out. */
export function batchMeansOf(values: readonly number[], count: number, size: number): number[] {
  return Array.from(
    { length: count },
    (_, batch) => meanOf(values.slice(batch * size, (batch + 1) * size)) ?? Number.NaN,
  )
}
