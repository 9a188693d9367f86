import type { RequirementResult, Verdict } from '../../contract/report/conformance.ts'
import type { Badge } from '../document/document.ts'

/** Printed names of the stored verdicts, with their colors. */
export const verdictBadges: Readonly<Record<Verdict, Badge>> = {
  pass: { word: 'passed', tone: 'pass' },
  fail: { word: 'violated', tone: 'fail' },
  warn: { word: 'warning', tone: 'warn' },
  observed: { word: 'observed', tone: 'none' },
  inconclusive: { word: 'undecided', tone: 'unproven' },
  unproven: { word: 'undecided', tone: 'unproven' },
  'not-applicable': { word: 'not applicable', tone: 'none' },
  error: { word: 'undecided', tone: 'unproven' },
  unclaimed: { word: 'not tested', tone: 'none' },
}

/** The label of a requirement with its color; a violation that the baseline names is marked. */
export function badgeOf({ verdict, known }: Pick<RequirementResult, 'verdict' | 'known'>): Badge {
  const badge = verdictBadges[verdict]
  return known ? { word: `known: ${badge.word}`, tone: 'warn' } : badge
}

/** Explanations of the verdicts for a first-time reader. */
export const meanings: Readonly<Record<Verdict, string>> = {
  pass: 'At least one observation confirms it, and none contradicts it.',
  fail: 'The target violates a sentence of the interface document.',
  warn: 'The interface document is silent, but the contract it refers to requires this, and real clients depend on it.',
  observed: 'The interface document leaves this open; the behavior of the target is recorded.',
  inconclusive: 'The run could not decide it.',
  unproven: 'The target profile lacks a setting, or the behavior never occurred.',
  'not-applicable': 'The target profile declares that the target does not have the feature.',
  error: 'chatgen itself failed.',
  unclaimed: 'No scenario tests it yet; it is not counted.',
}

/** Stored verdicts that are called undecided. */
export const undecidedVerdicts: readonly Verdict[] = ['inconclusive', 'unproven', 'error']

/** Value of a filter: verdicts with the same label share it. */
export function verdictTag(verdict: Verdict): string {
  return undecidedVerdicts.includes(verdict) ? 'undecided' : verdict
}
