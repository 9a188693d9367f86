import type { RequirementRow, Verdict } from '../../contract/report/conformance.ts'

/** What a badge says: a known violation is told from a new one. */
export function badgeText({ verdict, known }: RequirementRow): string {
  if (known) return `known ${verdict}`
  return verdict === 'not-applicable' ? 'not applicable' : verdict
}

/** What a verdict means, for a reader who sees the report first. */
export const meanings: Readonly<Record<Verdict, string>> = {
  pass: 'Something was seen that shows it, and nothing that breaks it.',
  fail: 'A sentence of the document is broken.',
  warn: 'The document is silent, but the contract that it names says so, and clients break without it.',
  observed: 'The document leaves it open: what the target does is recorded.',
  inconclusive: 'It could not be told.',
  unproven: 'The profile does not say what would be needed, or nothing showed it.',
  'not-applicable': 'The profile says that the target does not have the feature.',
  error: 'The kit itself failed.',
  unclaimed: 'No scenario looks at it yet: it is not counted.',
}

/** The most pressing first: for filters, and for what is kept where space is short. */
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
