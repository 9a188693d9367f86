/** Requests that ended at a value, and those of which it is only known that they took longer. */
export interface LifeTable {
  readonly value: number
  readonly ended: number
  readonly censored: number
}

/**
 * Quantile of a latency if some requests were still running, or were given up, when they were
 * last seen: leaving them out would make a stuck target look fast. The product-limit estimator
 * (Kaplan & Meier, J. Am. Stat. Assoc. 53, 1958): the share still running after a value is the
 * product of `1 - ended / at risk`; who was censored at a value still counts as at risk there.
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
