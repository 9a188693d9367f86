import { batchMeans } from './autocorrelation.ts'

export interface SteadyState {
  readonly verdict: 'steady' | 'trend' | 'too short'
  /** Spearman's rank correlation of the batch means with time; null where there are no batches. */
  readonly rho: number | null
  readonly message: string
}

/** Two-sided 1 % point of Spearman's rho at 20 pairs (Zar, J. Am. Stat. Assoc. 67, 1972). */
const critical = 0.57

/**
 * Test for drift within a window: the means of 20 batches are ranked against time (Spearman, Am. J.
 * Psychol. 15, 1904). Batches, because single latencies are correlated and would make any drift look
 * certain. A steady series exceeds a rank correlation of 0.570 in 1 of 100 runs.
 */
export function steadyState(values: readonly number[]): SteadyState {
  const batches = batchMeans(values)
  if (batches === null) {
    const message = `${values.length} values in the window; it takes 100 to look for a trend.`
    return { verdict: 'too short', rho: null, message }
  }
  const rho = spearman(batches.means)
  if (Math.abs(rho) < critical) {
    const message = `No trend: rank correlation of 20 batch means with time ${rho.toFixed(2)}.`
    return { verdict: 'steady', rho, message }
  }
  const direction = rho > 0 ? 'rising' : 'falling'
  const message = `Still ${direction}: rank correlation of 20 batch means with time ${rho.toFixed(2)}.`
  return { verdict: 'trend', rho, message }
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
