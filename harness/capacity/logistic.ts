/**
 * Share of requests over a limit as a function of the logarithm of the rate, and the rate at which it
 * reaches what is allowed: the dose-response problem of bioassay (Finney, Probit Analysis, 1971).
 */
import { meanOf } from '../../contract/averages.ts'
import { dot, inverse, normalEquations } from '../load/statistics/linear-algebra.ts'
import { studentQuantile } from '../load/statistics/shares.ts'

export interface DosePoint {
  readonly rate: number
  /** Requests and those over the limit, both as effective sample sizes. */
  readonly count: number
  readonly over: number
  /** Position in time, in any unit; used if a drift is fitted. */
  readonly at?: number
}

export type Crossing = NonNullable<ReturnType<typeof crossingOf>>
type Fit = NonNullable<ReturnType<typeof fitLogistic>>

/** Minimum drift that is fitted, in standard errors; a smaller one is noise. */
const minDrift = 1

/**
 * Logistic regression by iteratively reweighted least squares, with the variance that the points show
 * (quasi-likelihood, Wedderburn, Biometrika 61, 1974), and the interval of the crossing by Fieller's
 * theorem (J. R. Stat. Soc. B 16, 1954). A target that slows down meanwhile is fitted with its drift, and the
 * crossing is that of the newest point. Null with fewer than three points.
 * @param allowed share at which the crossing lies, between 0 and 1
 */
export function crossingOf(points: readonly DosePoint[], allowed: number) {
  if (points.length < 3) return null
  const origin = meanOf(points.map(({ rate }) => Math.log(rate))) ?? Number.NaN
  const now = Math.max(...points.map(({ at = 0 }) => at))
  const rows = points.map(({ rate, count, over, at = 0 }) => {
    const x = [1, Math.log(rate) - origin, at - now]
    // One more request with the allowed share keeps the log odds finite and moves no crossing.
    return { x, count: count + 1, over: over + allowed }
  })
  const drifting = points.length < 8 ? null : fitted(rows, 3)
  const isDrift = drifting !== null && Math.abs(drifting.zDrift) >= minDrift
  const found = isDrift ? drifting : fitted(rows, 2)
  if (found === null || found.fit.slope <= 0) return null
  const { fit, dispersion, degrees } = found
  const target = Math.log(allowed / (1 - allowed)) - fit.intercept
  const interval = fieller(fit, target, dispersion, studentQuantile(0.975, degrees))
  return {
    rate: Math.exp(origin + target / fit.slope),
    /** Confidence interval at 95 %; null if the slope cannot be distinguished from 0. */
    interval:
      interval && ([Math.exp(origin + interval[0]), Math.exp(origin + interval[1])] as const),
    /** Change of the logarithm of the crossing for each unit of `at` in the fit; 0 if it has none. */
    fittedDrift: isDrift ? -fit.drift / fit.slope : 0,
    /** The same per unit, also in standard errors, even if it is noise; null with too few points. */
    drift: drifting && { perUnit: -drifting.fit.drift / drifting.fit.slope, z: -drifting.zDrift },
  }
}

function fitted(points: readonly Row[], terms: 2 | 3) {
  const rows = points.map((row) => ({ ...row, x: row.x.slice(0, terms) }))
  const fit = fitLogistic(rows)
  if (fit === null) return null
  const beta = [fit.intercept, fit.slope, fit.drift]
  const chiSquare = rows.reduce((sum, { x, count, over }) => {
    const p = expit(dot(x, beta))
    return sum + (over - count * p) ** 2 / (count * p * (1 - p))
  }, 0)
  const degrees = points.length - terms
  const dispersion = Math.max(1, (chiSquare / degrees) * cautious(degrees))
  const zDrift = fit.drift / Math.sqrt(dispersion * (fit.covariance[2]?.[2] ?? 1))
  return { fit, dispersion, degrees, zDrift }
}

/**
 * Factor to the upper decile of the scatter, by Wilson and Hilferty's approximation of chi-square: a search
 * that stops once its interval is narrow stops too soon if the scatter is small by chance (Chow & Robbins,
 * Ann. Math. Stat. 36, 1965).
 */
function cautious(degrees: number): number {
  const spread = 2 / (9 * degrees)
  return 1 / Math.max(0.1, 1 - spread - 1.282 * Math.sqrt(spread)) ** 3
}

interface Row {
  readonly x: readonly number[]
  readonly count: number
  readonly over: number
}

const maxSteps = 50

function fitLogistic(rows: readonly Row[]) {
  const terms = rows[0]?.x.length ?? 0
  const beta = new Array<number>(terms).fill(0)
  for (let step = 0; step < maxSteps; step++) {
    const weighted = rows.map(({ x, count, over }) => {
      const p = expit(dot(x, beta))
      const root = Math.sqrt(count * p * (1 - p))
      return { x: x.map((value) => value * root), y: (over - count * p) / root }
    })
    const { matrix, right } = normalEquations(
      beta.map((_, at) => weighted.map(({ x }) => x[at] ?? 0)),
      weighted.map(({ y }) => y),
    )
    const covariance = inverse(matrix)
    if (covariance === null) return null
    const moves = covariance.map((line) => clamp(dot(line, right), 5))
    moves.forEach((move, i) => {
      beta[i] = (beta[i] ?? 0) + move
    })
    if (moves.some((move) => Math.abs(move) > 1e-8) && step < maxSteps - 1) continue
    const [intercept = 0, slope = 0, drift = 0] = beta
    // `drift`: change of the log odds for each unit of `at`. The covariance is that for a dispersion of 1.
    return { intercept, slope, drift, covariance }
  }
  return null
}

/** Both ends of the ratio target / slope, or null if the slope may be 0. */
function fieller(
  { slope, covariance }: Fit,
  target: number,
  dispersion: number,
  t: number,
): readonly [number, number] | null {
  const scale = t * t * dispersion
  const [[v00 = 0, v01 = 0] = [], [, v11 = 0] = []] = covariance
  // The roots of (target - θ slope)² = t² φ var(intercept + θ slope).
  const a = slope * slope - scale * v11
  const b = -(target * slope + scale * v01)
  const c = target * target - scale * v00
  const discriminant = b * b - a * c
  if (a <= 0 || discriminant < 0) return null
  const root = Math.sqrt(discriminant)
  return [(-b - root) / a, (-b + root) / a]
}

function expit(x: number): number {
  return 1 / (1 + Math.exp(-clamp(x, 30)))
}

function clamp(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value))
}
