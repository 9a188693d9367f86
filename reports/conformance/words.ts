import type { RequirementRow, Verdict } from '../../contract/report/conformance.ts'

/** Printed names of the stored verdicts. */
export const verdictLabels: Readonly<Record<Verdict, string>> = {
  pass: 'passed',
  fail: 'violated',
  warn: 'warning',
  observed: 'observed',
  inconclusive: 'inconclusive',
  unproven: 'not tested',
  'not-applicable': 'not applicable',
  error: 'internal error',
  unclaimed: 'no scenario',
}

/** The label of a requirement; a violation that the baseline names is marked. */
export function badgeText({ verdict, known }: Pick<RequirementRow, 'verdict' | 'known'>): string {
  return known ? `known: ${verdictLabels[verdict]}` : verdictLabels[verdict]
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

/** Most severe first. */
export const bySeverity: readonly Verdict[] = [
  'fail',
  'warn',
  'error',
  'inconclusive',
  'unproven',
  'pass',
  'observed',
  'not-applicable',
  'unclaimed',
]
