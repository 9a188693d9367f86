/**
 * Values in ascending order, addressed by rank from 1 to `count`. Where values were counted in
 * buckets, a rank is only known to lie between the two ends of its bucket.
 */
export interface OrderedSample {
  readonly count: number
  lowAt(rank: number): number
  highAt(rank: number): number
}

/** The sample of plain numbers, in any order. */
export function sampleOf(values: Iterable<number>): OrderedSample {
  const sorted = Float64Array.from(values).sort()
  const at = (rank: number) => {
    const value = sorted[rank - 1]
    if (value === undefined) throw new RangeError(`No rank ${rank} among ${sorted.length} values`)
    return value
  }
  return { count: sorted.length, lowAt: at, highAt: at }
}

/** Rank of a quantile, by nearest rank: the smallest one that at least a share of `q` reaches. */
export function rankOf(q: number, count: number): number {
  const exact = q * count
  const nearest = Math.round(exact)
  // 0.99 * 300 is 297.00000000000006 in binary; it is meant to be 297.
  const rank = Math.abs(exact - nearest) < 1e-9 * count ? nearest : Math.ceil(exact)
  return Math.min(count, Math.max(1, rank))
}
