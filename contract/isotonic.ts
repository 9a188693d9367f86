/** Counts over a limit by rate, pooled if a higher rate had the smaller share. */

export interface RateCount {
  readonly rate: number
  /** Requests and those over the limit, both as effective sample sizes. */
  readonly count: number
  readonly over: number
}

/** Adjacent rates with one share. */
export interface Pool {
  readonly low: number
  readonly high: number
  readonly count: number
  readonly over: number
}

/**
 * Isotonic regression of the share on the rate by pooling adjacent violators (Ayer et al., Ann. Math.
 * Stat. 26, 1955); pools in ascending order of rate, shares ascending.
 */
export function isotonic(counts: readonly RateCount[]): readonly Pool[] {
  const pools: Pool[] = []
  for (const { rate, count, over } of counts.toSorted((a, b) => a.rate - b.rate)) {
    let pool: Pool = { low: rate, high: rate, count, over }
    for (let before = pools.at(-1); before !== undefined; before = pools.at(-1)) {
      const isSame = before.high === pool.low
      if (!isSame && share(before) <= share(pool)) break
      pools.pop()
      pool = {
        low: before.low,
        high: pool.high,
        count: before.count + pool.count,
        over: before.over + pool.over,
      }
    }
    pools.push(pool)
  }
  return pools
}

function share({ count, over }: Pool): number {
  return count === 0 ? 0 : over / count
}
