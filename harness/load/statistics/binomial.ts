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

/** Terms shrink on the way out from the mean; what adds nothing any more ends the sum. */
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
