/**
 * Quantile of Student's t, by Hill's expansion (Comm. ACM 13, 1970, algorithm 396), exact for one and
 * two degrees of freedom.
 *
 * @param p between 0.5 and 1
 * @param degrees of freedom, at least 1
 */
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
