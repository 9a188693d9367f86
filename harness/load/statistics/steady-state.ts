import { batchMeansOf, meanOf } from '../../../contract/averages.ts'
import type { Window } from '../../../reports/load/model/measures.ts'

/** Lag-1 autocorrelation of a series in order of time; null with fewer than three pairs and for a constant series. */
export function lag1Autocorrelation(series: readonly number[]): number | null {
  const mean = meanOf(series) ?? Number.NaN
  const pairs = series.length - 1
  let products = 0
  for (let i = 1; i <= pairs; i++)
    products += ((series[i - 1] ?? 0) - mean) * ((series[i] ?? 0) - mean)
  const variance = series.reduce((sum, value) => sum + (value - mean) ** 2, 0) / series.length
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

const batches = 20

/** Two-sided 1 % point of Spearman's rho at 20 pairs (Zar, J. Am. Stat. Assoc. 67, 1972). */
const critical = 0.57

/**
 * Test for drift within a window: the means of 20 batches are ranked against time (Spearman, Am. J.
 * Psychol. 15, 1904). Batches, because single latencies are correlated and would make any drift look
 * certain (Schmeiser, Operations Research 30, 1982); the remainder at the start is left out. A steady
 * series exceeds a rank correlation of 0.570 in 1 of 100 runs.
 */
export function steadyState(values: readonly number[]): Window['steady'] {
  const size = Math.floor(values.length / batches)
  if (size < 5) {
    const message = `${values.length} values in the window; a test for a trend needs 100.`
    return { verdict: 'too short', message }
  }
  const rho = spearman(batchMeansOf(values.slice(-size * batches), batches, size))
  const correlation = `rank correlation of 20 batch means with time ${rho.toFixed(2)}.`
  if (Math.abs(rho) < critical) return { verdict: 'steady', message: `No trend: ${correlation}` }
  return {
    verdict: 'trend',
    message: `Still ${rho > 0 ? 'rising' : 'falling'}: ${correlation}`,
  }
}

/** Rank correlation with 0, 1, 2, …; values that tie share the mean of their ranks. 0 for a constant series. */
export function spearman(values: readonly number[]): number {
  const ranks = midRanks(values)
  const middle = (values.length + 1) / 2
  let products = 0
  let squares = 0
  let times = 0
  ranks.forEach((rank, index) => {
    const time = index + 1 - middle
    products += (rank - middle) * time
    squares += (rank - middle) ** 2
    times += time ** 2
  })
  return squares === 0 ? 0 : products / Math.sqrt(squares * times)
}

function midRanks(values: readonly number[]): number[] {
  const order = values.map((value, index) => ({ value, index })).sort((a, b) => a.value - b.value)
  const ranks = new Array<number>(values.length).fill(0)
  for (let start = 0; start < order.length; ) {
    let end = start
    while (end < order.length && order[end]?.value === order[start]?.value) end++
    for (let i = start; i < end; i++) ranks[order[i]?.index ?? 0] = (start + 1 + end) / 2
    start = end
  }
  return ranks
}

/** Number of values in a batch. */
const batchSize = 5

/**
 * End of the warm-up of a series, by MSER-5: of all cuts at multiples of five in the first half,
 * the one that makes the half-width of the interval of the remaining mean smallest, as
 * `sum (y - mean)^2 / m^2` over the m remaining batch means (White, Simulation 69, 1997; batches of
 * five: White, Cobb & Spratt, Winter Simulation Conference 2000). Under ten batches nothing is cut.
 *
 * `cut`: values to leave out at the start. `settled`: the best cut lies in the first half; otherwise the run was
 * too short, or never settled, and the cut means nothing.
 */
export function mser5(values: readonly number[]) {
  const means = batchMeansOf(values, Math.floor(values.length / batchSize), batchSize)
  if (means.length < 10) return { cut: 0, settled: false }
  let best = means.length
  let minimum = Number.POSITIVE_INFINITY
  // From the end, so that mean and squares grow by one batch a step (Welford, Technometrics 4, 1962).
  let mean = 0
  let squares = 0
  for (let cut = means.length - 1; cut >= 0; cut--) {
    const remaining = means.length - cut
    const distance = (means[cut] ?? 0) - mean
    mean += distance / remaining
    squares += distance * ((means[cut] ?? 0) - mean)
    // Fewer than five batches can agree by accident: the known weakness of the rule at the end.
    if (remaining < 5) continue
    const half = squares / remaining ** 2
    if (half <= minimum) {
      minimum = half
      best = cut
    }
  }
  const settled = best <= means.length / 2
  return { cut: settled ? best * batchSize : 0, settled }
}

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
