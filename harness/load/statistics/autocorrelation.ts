import { meanOf } from '../../../contract/averages.ts'

/**
 * Lag-1 autocorrelation of a series in order of time, with pairs only within runs of neighbors (one run for a
 * whole series, several if it was sampled in blocks). Null with fewer than three pairs and for a constant
 * series.
 */
export function lag1Autocorrelation(runs: readonly (readonly number[])[]): number | null {
  const all = runs.flat()
  const mean = meanOf(all) ?? Number.NaN
  let products = 0
  let pairs = 0
  for (const run of runs) {
    for (let i = 1; i < run.length; i++) {
      products += ((run[i - 1] ?? 0) - mean) * ((run[i] ?? 0) - mean)
      pairs++
    }
  }
  const variance = all.reduce((sum, value) => sum + (value - mean) ** 2, 0) / all.length
  // Below this share, what is left of a constant series is rounding.
  if (pairs < 3 || !(variance > 1e-20 * mean * mean)) return null
  return products / pairs / variance
}

/**
 * Number of independent values equivalent to n correlated ones: `n (1 - rho) / (1 + rho)`, the limit for a
 * first-order autoregressive series (Bayley & Hammersley, J. R. Stat. Soc. Suppl. 8, 1946). A negative
 * correlation is not credited: it would make the interval narrower than that of independent values.
 */
export function effectiveSampleSize(n: number, rho: number | null): number {
  if (rho === null || rho <= 0) return n
  return Math.max(Math.min(n, 1), (n * (1 - Math.min(rho, 1))) / (1 + rho))
}
