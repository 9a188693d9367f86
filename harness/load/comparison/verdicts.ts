import type { ComparedFigure, FigureVerdict } from '../../../contract/report/load/comparison.ts'
import { pValue, type RatioEstimate } from './estimate.ts'

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
export function decideFigures(
  candidates: readonly Candidate[],
  error = familyError,
): ComparedFigure[] {
  const tested = candidates.map((candidate) => ({ candidate, p: pValuesOf(candidate) }))
  const rejected = holm(
    tested.flatMap(({ p }) => (p === null ? [] : [p.regression, p.improvement, p.noChange])),
    error,
  )
  let next = 0
  return tested.map(({ candidate, p }) => {
    if (p === null) return rowOf(candidate, null, 'undecided', candidate.reason ?? '')
    const [regression, improvement, noChange] = rejected.slice(next, next + 3)
    next += 3
    const verdict = regression
      ? 'regression'
      : improvement
        ? 'improvement'
        : noChange
          ? 'no change'
          : 'undecided'
    const message = verdict === 'undecided' ? outlook(candidate, error / rejected.length) : ''
    return rowOf(candidate, p, verdict, message)
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
