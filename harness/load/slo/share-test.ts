import { binomialAtLeast, binomialCdf } from '../statistics/binomial.ts'

/**
 * Decision on a limit for a share of all requests, made as soon as those seen suffice. The rule of
 * MLPerf LoadGen (mlcommons/inference, loadgen/early_stopping.cc, with a tolerance of 0): with t of
 * n requests over the limit, it is met if a larger share than `allowed` would yield t or fewer in at
 * most 1 of 100 runs, `P[Binomial(n, allowed) <= t] <= 0.01`. It is missed if a smaller share would
 * yield t or more in at most 1 of 100 runs, `P[Binomial(n, allowed) >= t] <= 0.01`.
 *
 * Each look is a test at 99 %; who looks often and stops at the first decision errs more often than
 * that. A run decides once, at its end.
 */
export interface Decision {
  readonly verdict: 'met' | 'missed' | 'undecided'
  /** Requests within the limit that are still needed to be sure of it; null if it is decided. */
  readonly needed: number | null
}

export const confidence = 0.99

/**
 * @param independent share of n that counts as independent (effective sample size / n). Both counts
 *   shrink by it, and fractions are rounded against a decision.
 */
export function decideShare(n: number, over: number, allowed: number, independent = 1): Decision {
  const effective = Math.floor(n * independent)
  const upper = Math.min(effective, Math.ceil(over * independent))
  if (effective > 0 && binomialCdf(upper, effective, allowed) <= 1 - confidence + rounding) {
    return { verdict: 'met', needed: null }
  }
  const lower = Math.floor(over * independent)
  if (effective > 0 && binomialAtLeast(lower, effective, allowed) <= 1 - confidence + rounding) {
    return { verdict: 'missed', needed: null }
  }
  const missing = minRequests(upper, allowed) - effective
  return { verdict: 'undecided', needed: Math.ceil(missing / independent) }
}

/** Tolerance for rounding in sums of probabilities. */
const rounding = 1e-12

/** Fewest requests of which `over` may be over the limit while at most `allowed` of all are. */
export function minRequests(over: number, allowed: number): number {
  const isDecided = (n: number) => binomialCdf(over, n, allowed) <= 1 - confidence + rounding
  let high = Math.max(1, over + 1)
  while (!isDecided(high)) high *= 2
  let low = over
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (isDecided(middle)) high = middle
    else low = middle
  }
  return high
}

/**
 * Exact interval of a share (Clopper & Pearson, Biometrika 26, 1934). A count that is not whole is rounded
 * so that the interval becomes wider.
 */
export function shareInterval(n: number, count: number, level = 0.95) {
  const error = (1 - level) / 2
  const lower = Math.floor(count + 1e-9)
  const upper = Math.ceil(count - 1e-9)
  return {
    low: lower === 0 ? 0 : bisect((p) => binomialAtLeast(lower, n, p) < error),
    high: upper === n ? 1 : bisect((p) => binomialCdf(upper, n, p) > error),
  }
}

/** Finds the point in 0..1 at which a predicate becomes false. */
function bisect(holds: (p: number) => boolean): number {
  let low = 0
  let high = 1
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2
    if (holds(middle)) low = middle
    else high = middle
  }
  return (low + high) / 2
}
