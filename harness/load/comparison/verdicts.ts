import type { ComparedFigure, FigureVerdict } from '../../../reports/load/model/comparison.ts'
import { bisect } from '../statistics/shares.ts'

/** A figure of one run, with limits at any confidence. */
export interface Estimate {
  readonly value: number
  /** Two-sided limits at a confidence; null if the sample has none. */
  limits(confidence: number): Readonly<Record<'low' | 'high', number | null>>
}

/** Limits of a ratio of two figures as a multiple of the first; infinite and 0 if it has none. */
type RatioLimits = Readonly<Record<'low' | 'high', number>>

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

/** A figure of both runs before any verdict. */
export interface Candidate
  extends Pick<ComparedFigure, 'name' | 'unit' | 'better' | 'a' | 'b' | 'tolerance'> {
  /** Null if no ratio exists; `reason` says why. */
  readonly ratio: RatioEstimate | null
  readonly reason: string | null
}

/** Family-wise error of all verdicts of a comparison. */
export const familyError = 0.05

/**
 * Verdicts on all figures with a family-wise error. For each figure three hypotheses are tested: that B
 * is not worse by more than the tolerance, that it is not better by more, and that it differs by more
 * (two one-sided tests; Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15, 1987). Holm's procedure
 * decides which of all of them are rejected; a figure of which none is rejected is undecided.
 */
export function decideFigures(candidates: readonly Candidate[]): ComparedFigure[] {
  const tested = candidates.map((candidate) => ({ candidate, p: pValuesOf(candidate) }))
  const rejected = holm(
    tested.flatMap(({ p }) => (p === null ? [] : [p.regression, p.improvement, p.noChange])),
    familyError,
  )
  let next = 0
  return tested.map(({ candidate, p }) => {
    if (p === null) return rowOf(candidate, null, 'undecided', candidate.reason ?? '')
    const [regression, improvement, noChange] = rejected.slice(next, next + 3)
    next += 3
    if (regression) return rowOf(candidate, p, 'regression', '')
    if (improvement) return rowOf(candidate, p, 'improvement', '')
    if (noChange) return rowOf(candidate, p, 'no change', '')
    return rowOf(candidate, p, 'undecided', outlook(candidate, familyError / rejected.length))
  })
}

function pValuesOf({ ratio, better, tolerance }: Candidate): ComparedFigure['p'] {
  if (ratio === null) return null
  const upper = 1 + tolerance
  const isAbove = pValue(ratio, ({ low }) => low > upper)
  const isBelow = pValue(ratio, ({ high }) => high < 1 / upper)
  return {
    regression: better === 'lower' ? isAbove : isBelow,
    improvement: better === 'lower' ? isBelow : isAbove,
    noChange: pValue(ratio, ({ low, high }) => low > 1 / upper && high < upper),
  }
}

function rowOf(
  { ratio, reason: _, ...head }: Candidate,
  p: ComparedFigure['p'],
  verdict: FigureVerdict,
  message: string,
): ComparedFigure {
  const limits = ratio?.limits(0.95)
  const finite = (value: number | undefined) =>
    value === undefined || !Number.isFinite(value) || value === 0 ? null : value
  return {
    ...head,
    ratio: ratio?.value ?? null,
    low: finite(limits?.low),
    high: finite(limits?.high),
    verdict,
    p,
    message,
  }
}

/** Factor by which the runs would have to be longer for a decision. */
function outlook({ ratio, tolerance }: Candidate, tail: number): string {
  if (ratio === null) return ''
  const { low, high } = ratio.limits(1 - 2 * tail)
  const half = Math.max(Math.log(high / ratio.value), Math.log(ratio.value / low))
  const room = Math.abs(Math.abs(Math.log(ratio.value)) - Math.log(1 + tolerance))
  const factor = (half / room) ** 2
  if (!Number.isFinite(factor)) return 'too few requests'
  if (factor > 100) return 'the change is about as large as the tolerance'
  return `about ${Math.max(2, Math.ceil(factor))} times as many requests needed for a decision`
}

/**
 * Hypotheses rejected with a family-wise error of at most `error`, under any dependence (Holm, Scandinavian
 * Journal of Statistics 6, 1979).
 */
export function holm(pValues: readonly number[], error: number): readonly boolean[] {
  const order = pValues.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p)
  const rejected = new Array<boolean>(pValues.length).fill(false)
  for (const [rank, { p, index }] of order.entries()) {
    if (p > error / (pValues.length - rank)) break
    rejected[index] = true
  }
  return rejected
}
