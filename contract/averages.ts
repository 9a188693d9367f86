/** Averages and quantiles of numbers; null for an empty list, so that each caller chooses a substitute. */

export function meanOf(values: readonly number[] | Float64Array): number | null {
  if (values.length === 0) return null
  let sum = 0
  for (const value of values) sum += value
  return sum / values.length
}

/** Median; for an even number of values the upper of the two middle ones, so that it is one of the values. */
export function medianOf(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null
}

/** Median by nearest rank, like p50: for an even number of values the lower of the two middle ones. */
export function lowerMedianOf(values: readonly number[]): number | null {
  return quantileOf(values, 0.5)
}

/** Quantile by nearest rank; the values need not be sorted. */
export function quantileOf(values: readonly number[], q: number): number | null {
  return values.toSorted((a, b) => a - b)[rankOf(q, values.length) - 1] ?? null
}

/** Nearest rank of a quantile: the smallest rank that covers at least the share `q` of the values. */
export function rankOf(q: number, count: number): number {
  const exact = q * count
  const nearest = Math.round(exact)
  // 0.99 * 300 is 297.00000000000006 in floating point, but must count as 297.
  const rank = Math.abs(exact - nearest) < 1e-9 * count ? nearest : Math.ceil(exact)
  return Math.min(count, Math.max(1, rank))
}

/** `p50`, `p99`, `p99.9`. */
export function quantileName(q: number): string {
  return `p${Number((q * 100).toPrecision(10))}`
}

/** Means of `count` consecutive batches of `size` values each; values after the last batch are ignored. */
export function batchMeansOf(values: readonly number[], count: number, size: number): number[] {
  return Array.from(
    { length: count },
    (_, batch) => meanOf(values.slice(batch * size, (batch + 1) * size)) ?? Number.NaN,
  )
}
