import type {
  ConformanceReport,
  RequirementRow,
  Verdict,
} from '../../contract/report/conformance.ts'
import { count } from '../text/format.ts'

/** What a report comes down to: required rows that were proven, violated and undecided. */
export interface Summary {
  /** Required rows that count: proven + violated + undecided. */
  readonly required: number
  readonly proven: number
  readonly violated: number
  /** How many of the violated rows a baseline names. */
  readonly known: number
  /** Neither shown nor refuted: unproven, inconclusive, or not judged for a fault of the kit. */
  readonly undecided: number
  /** Expected rows that are broken. */
  readonly warnings: number
}

/** Never a percentage: a share would make what was not looked at look like a small blemish. */
export function summarize({ requirements }: ConformanceReport): Summary {
  const required = requirements.filter((row) => row.level === 'required')
  const number = (...verdicts: readonly Verdict[]) =>
    required.filter((row) => verdicts.includes(row.verdict)).length
  const proven = number('pass')
  const violated = number('fail')
  const undecided = number('unproven', 'inconclusive', 'error')
  return {
    required: proven + violated + undecided,
    proven,
    violated,
    known: required.filter(isKnown).length,
    undecided,
    warnings: requirements.filter((row) => row.verdict === 'warn').length,
  }
}

/** `3 proven, 1 violated (1 known), 2 undecided of 6 required rows`. */
export function threeNumbers({ proven, violated, known, undecided, required }: Summary): string {
  const excused = known === 0 ? '' : ` (${known} known)`
  return `${proven} proven, ${violated} violated${excused}, ${undecided} undecided of ${required} required ${required === 1 ? 'row' : 'rows'}`
}

/** The three numbers, and what makes the outcome besides them. */
export function outcomeText(report: ConformanceReport): string {
  const summary = summarize(report)
  const problems = report.baseline?.problems.length ?? 0
  const strict = report.strict ? ' (strict: counted)' : ''
  return [
    threeNumbers(summary),
    ...(summary.warnings === 0 ? [] : [count(summary.warnings, 'warning') + strict]),
    ...(problems === 0
      ? []
      : [`${problems} stale ${problems === 1 ? 'entry' : 'entries'} in the baseline`]),
  ].join('; ')
}

/** `known: because the gateway is open (CHAT-17, platform, until 2026-12-31)`; null where it is new. */
export function knownText({ baseline }: ConformanceReport, id: string): string | null {
  const entry = baseline?.known.find((known) => known.id === id)
  if (entry === undefined) return null
  const { because, issue, owner, until } = entry
  const notes = [issue, owner, until && `until ${until}`].filter(Boolean).join(', ')
  return `known: because ${because}${notes && ` (${notes})`}`
}

function isKnown({ verdict, known }: RequirementRow): boolean {
  return verdict === 'fail' && known
}
