import { bisect } from '../statistics/shares.ts'

/** A figure of one run, with limits at any confidence. */
export interface Estimate {
  readonly value: number
  /** Two-sided limits at a confidence; null if the sample has none. */
  limits(confidence: number): Limits
}

export interface Limits {
  readonly low: number | null
  readonly high: number | null
}

/** Limits of a ratio of two figures as a multiple of the first; infinite and 0 if it has none. */
export interface RatioLimits {
  readonly low: number
  readonly high: number
}

/** The ratio B / A of a figure. */
export interface RatioEstimate {
  readonly value: number
  limits(confidence: number): RatioLimits
}

/**
 * Ratio of two independent estimates from the limits of each, on the logarithmic scale: the method of
 * variance estimates recovery (Zou & Donner, Statistics in Medicine 27, 2008), which keeps limits that
 * are not symmetric. Both values must be positive.
 */
export function ratioOf(a: Estimate, b: Estimate): RatioEstimate {
  const value = b.value / a.value
  return {
    value,
    limits: (confidence) => {
      const [ofA, ofB] = [a.limits(confidence), b.limits(confidence)]
      const log = Math.log(value)
      const below = Math.hypot(distance(b.value, ofB.low), distance(a.value, ofA.high))
      const above = Math.hypot(distance(b.value, ofB.high), distance(a.value, ofA.low))
      return { low: Math.exp(log - below), high: Math.exp(log + above) }
    },
  }
}

function distance(value: number, limit: number | null): number {
  if (limit === null || !(limit > 0) || limit === Number.POSITIVE_INFINITY) {
    return Number.POSITIVE_INFINITY
  }
  return Math.abs(Math.log(limit / value))
}

const smallestTail = 1e-9

/**
 * p-value of the hypothesis that a condition on the limits fails, by inversion: the smallest tail on
 * either side at which the limits still satisfy it. `holds` must be monotonic: true of wider limits
 * implies true of narrower ones.
 */
export function pValue(ratio: RatioEstimate, holds: (limits: RatioLimits) => boolean): number {
  const at = (tail: number) => holds(ratio.limits(1 - 2 * tail))
  if (at(smallestTail)) return smallestTail
  if (!at(0.499)) return 1
  const isSmaller = (logarithm: number) => !at(Math.exp(logarithm))
  return Math.exp(bisect(isSmaller, Math.log(smallestTail), Math.log(0.499), 24))
}
