/**
 * `P[X <= k]` for `X ~ Binomial(n, p)`, by adding the terms of the shorter tail: exact to
 * eleven digits at n = 400 and to seven at ten million. `k` outside 0..n gives 0 or 1.
 */
export function binomialCdf(k: number, n: number, p: number): number {
  if (k < 0) return 0
  if (k >= n || p === 0) return 1
  if (p === 1) return 0
  return k <= n * p ? lowerTail(k, n, p) : 1 - upperTail(k + 1, n, p)
}

/** `P[X >= k]`, without the loss of digits of `1 - P[X < k]`. */
export function binomialAtLeast(k: number, n: number, p: number): number {
  if (k <= 0) return 1
  if (k > n || p === 0) return 0
  if (p === 1) return 1
  return k > n * p ? upperTail(k, n, p) : 1 - lowerTail(k - 1, n, p)
}

/** Terms shrink away from the mean; the sum ends when they add nothing. */
function lowerTail(k: number, n: number, p: number): number {
  const odds = (1 - p) / p
  let term = density(k, n, p)
  let sum = 0
  for (let i = k; i >= 0 && sum + term !== sum; i--) {
    sum += term
    term *= (i / (n - i + 1)) * odds
  }
  return Math.min(1, sum)
}

function upperTail(k: number, n: number, p: number): number {
  const odds = p / (1 - p)
  let term = density(k, n, p)
  let sum = 0
  for (let i = k; i <= n && sum + term !== sum; i++) {
    sum += term
    term *= ((n - i) / (i + 1)) * odds
  }
  return Math.min(1, sum)
}

function density(k: number, n: number, p: number): number {
  const choose = logFactorial(n) - logFactorial(k) - logFactorial(n - k)
  return Math.exp(choose + k * Math.log(p) + (n - k) * Math.log1p(-p))
}

/** Exact below 128, from there on Stirling's series, whose first left-out term is below 1e-17. */
function logFactorial(n: number): number {
  const tabulated = smallLogFactorials[n]
  if (tabulated !== undefined) return tabulated
  const inverse = 1 / n
  const square = inverse * inverse
  const series = inverse * (1 / 12 - square * (1 / 360 - square / 1260))
  return n * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI * n) + series
}

const smallLogFactorials = [0]
for (let n = 1; n < 128; n++) {
  smallLogFactorials.push((smallLogFactorials[n - 1] ?? 0) + Math.log(n))
}

/**
 * Decision on a limit for a share of all requests, made as soon as those seen suffice. The rule of
 * MLPerf LoadGen (mlcommons/inference, loadgen/early_stopping.cc, with a tolerance of 0): with t of
 * n requests over the limit, it is met if a larger share than `allowed` would yield t or fewer in at
 * most 1 of 100 runs, `P[Binomial(n, allowed) <= t] <= 0.01`. It is missed if a smaller share would
 * yield t or more in at most 1 of 100 runs, `P[Binomial(n, allowed) >= t] <= 0.01`.
 *
 * Each look is a test at 99 %; looking often and stopping at the first decision errs more often. A run
 * decides once, at its end.
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

/** Minimum number of requests of which `over` may be over the limit while at most `allowed` of all are. */
export function minRequests(over: number, allowed: number): number {
  const isUndecided = (n: number) => binomialCdf(over, n, allowed) > 1 - confidence + rounding
  let high = Math.max(1, over + 1)
  while (isUndecided(high)) high *= 2
  return lastWhere(isUndecided, over, high) + 1
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
    low: lower === 0 ? 0 : bisect((p) => binomialAtLeast(lower, n, p) < error, 0, 1, 50),
    high: upper === n ? 1 : bisect((p) => binomialCdf(upper, n, p) > error, 0, 1, 50),
  }
}

/** Point between two numbers at which a condition that holds below it ends, by halving. */
export function bisect(
  holds: (value: number) => boolean,
  low: number,
  high: number,
  steps: number,
): number {
  const middle = (low + high) / 2
  if (steps === 0) return middle
  return holds(middle)
    ? bisect(holds, middle, high, steps - 1)
    : bisect(holds, low, middle, steps - 1)
}

/** The last integer below `high` for which a condition holds, if it holds only up to some point; `low` for none. */
export function lastWhere(holds: (value: number) => boolean, low: number, high: number): number {
  if (high - low <= 1) return low
  const middle = Math.floor((low + high) / 2)
  return holds(middle) ? lastWhere(holds, middle, high) : lastWhere(holds, low, middle)
}

export function studentQuantile(p: number, degrees: number): number {
  const tail = 2 * (1 - p)
  if (degrees <= 1) return Math.cos((tail * Math.PI) / 2) / Math.sin((tail * Math.PI) / 2)
  if (degrees === 2) return Math.sqrt(2 / (tail * (2 - tail)) - 2)
  const n = degrees
  const a = 1 / (n - 0.5)
  const b = 48 / (a * a)
  let c = (((20700 * a) / b - 98) * a - 16) * a + 96.36
  const d = ((94.5 / (b + c) - 3) / b + 1) * Math.sqrt((a * Math.PI) / 2) * n
  let y = (d * tail) ** (2 / n)
  if (y > 0.05 + a) {
    const x = -normalQuantile(tail / 2)
    y = x * x
    if (n < 5) c += 0.3 * (n - 4.5) * (x + 0.6)
    c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c
    y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
    y = Math.expm1(a * y * y)
  } else {
    y =
      ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y - 1) *
        ((n + 1) / (n + 2)) +
      1 / y
  }
  return Math.sqrt(n * y)
}

/** Quantile of the standard normal below 0.5 (Hastings, 1955; Abramowitz & Stegun 26.2.23), to 4.5e-4. */
function normalQuantile(p: number): number {
  const t = Math.sqrt(-2 * Math.log(p))
  const numerator = 2.515517 + t * (0.802853 + t * 0.010328)
  const denominator = 1 + t * (1.432788 + t * (0.189269 + t * 0.001308))
  return numerator / denominator - t
}
