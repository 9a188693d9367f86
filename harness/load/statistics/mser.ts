import { batchMeansOf } from '../../../contract/averages.ts'

export interface WarmUp {
  /** Values to leave out at the start. */
  readonly cut: number
  /**
   * True where the best cut lies in the first half. Otherwise the run was too short, or never
   * settled, and the cut means nothing.
   */
  readonly settled: boolean
}

/** Values of which one batch is the mean. */
const batchSize = 5

/**
 * End of the warm-up of a series, by MSER-5: of all cuts at multiples of five in the first half,
 * the one that makes the half-width of the interval of the remaining mean smallest, as
 * `sum (y - mean)^2 / m^2` over the m remaining batch means (White, Simulation 69, 1997; batches of
 * five: White, Cobb & Spratt, Winter Simulation Conference 2000). Under ten batches nothing is cut.
 */
export function mser5(values: readonly number[]): WarmUp {
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
