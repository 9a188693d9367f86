import { createHash } from 'node:crypto'
import { stableText, stableTextVersion } from '../../../contract/index.ts'
import {
  type BaselineProblem,
  type ConformanceReport,
  isViolation,
  type RequirementRow,
} from '../../../contract/report/conformance.ts'
import { reportOutcome } from '../report/totals.ts'
import { type Baseline, type BaselineEntry, toBeWritten } from './file.ts'

/**
 * The report as a baseline sees it: a violation that an entry names is `known` and counts no more.
 * An entry that is not true of the run is a problem, and makes the outcome `violated`: the file
 * would otherwise excuse what nobody looks at. Internal errors and rows that could not be judged
 * are never excused. Rows outside the selection are not judged, and neither are their entries.
 * @param today `2026-12-31`
 */
export function applyBaseline(
  report: ConformanceReport,
  baseline: Baseline,
  today: string,
): ConformanceReport {
  const rulings = report.requirements.flatMap((row) => {
    const entry = baseline.entries.get(row.id)
    return entry === undefined
      ? []
      : [{ id: row.id, entry, ruling: rule(row, entry, today, report) }]
  })
  const accepted = rulings.filter(({ ruling }) => ruling === 'known')
  const problems = rulings.flatMap(({ ruling }) => (typeof ruling === 'string' ? [] : [ruling]))
  const excused = new Set(accepted.map(({ id }) => id))
  const requirements = report.requirements.map((row) => ({ ...row, known: excused.has(row.id) }))
  return {
    ...report,
    outcome:
      problems.length > 0
        ? 'violated'
        : reportOutcome(requirements, report.strict, report.allowedUndecided?.ids),
    totals: { ...report.totals, known: accepted.length },
    requirements,
    baseline: {
      file: baseline.file,
      known: accepted.map(({ id, entry }) => knownViolation(id, entry)),
      problems,
    },
  }
}

type Ruling = 'known' | 'undecided' | BaselineProblem

function rule(
  row: RequirementRow,
  entry: BaselineEntry,
  today: string,
  { interrupted }: ConformanceReport,
): Ruling {
  const problem = (kind: BaselineProblem['kind'], message: string): Ruling => ({
    id: row.id,
    kind,
    message: `${row.id} ${message}`,
  })
  // What an interrupted run did not get to may still break the row.
  if (!interrupted && row.verdict === 'pass') {
    return problem('passes', 'passes now: delete its entry')
  }
  if (!interrupted && excusesNothing.includes(row.verdict)) {
    const why = row.message === null ? '' : ` (${row.message})`
    return problem('excuses nothing', `is ${row.verdict}${why}: its entry has no effect`)
  }
  if (entry.until !== undefined && entry.until < today) {
    return problem('expired', `has an entry that ended on ${entry.until} (${entry.because})`)
  }
  if (!isViolation(row)) return 'undecided'
  if (entry.because === toBeWritten) {
    return problem('unwritten', 'has an entry without a reason: fill in because')
  }
  if (entry.fingerprint !== undefined && entry.fingerprint !== fingerprintOf(row)) {
    const before = entry.found === undefined ? '' : `; the entry was written for: ${entry.found}`
    return problem('differs', `fails differently now: ${row.message ?? 'no message'}${before}`)
  }
  return 'known'
}

const excusesNothing: readonly RequirementRow['verdict'][] = [
  'not-applicable',
  'observed',
  'unclaimed',
]

function knownViolation(id: string, { because, issue, owner, until }: BaselineEntry) {
  return {
    id,
    because,
    ...(issue === undefined ? {} : { issue }),
    ...(owner === undefined ? {} : { owner }),
    ...(until === undefined ? {} : { until }),
  }
}

/**
 * Digest of how a row is broken: of its id and its message without identifiers, nonces, times, ports
 * and counts. The same from run to run, whatever the seed; another if the row fails differently.
 * `v1-` and 16 hexadecimal digits, so that YAML never takes it for a number.
 */
export function fingerprintOf({ id, message }: Pick<RequirementRow, 'id' | 'message'>): string {
  const digest = createHash('sha256').update(JSON.stringify([id, stableText(message ?? '')]))
  return `v${stableTextVersion}-${digest.digest('hex').slice(0, 16)}`
}

export interface BaselineUpdate {
  readonly entries: ReadonlyMap<string, BaselineEntry>
  /** Ids with a violation that had no entry; their `because` is to be written. */
  readonly added: readonly string[]
  /** Ids whose row fails differently than the entry said, or that had no fingerprint. */
  readonly changed: readonly string[]
  /** Ids that pass now or do not apply. */
  readonly removed: readonly string[]
}

/**
 * The entries that would be true of a run. What people wrote stays as it is: reasons, issues,
 * owners, and days, also those that are over. Warnings are added only if the run counts them.
 */
export function updateBaseline(report: ConformanceReport, before: Baseline): BaselineUpdate {
  const rows = new Map(report.requirements.map((row) => [row.id, row]))
  const removed = [...before.entries.keys()].filter((id) => isOver(rows.get(id)))
  const kept = [...before.entries]
    .filter(([id]) => !removed.includes(id))
    .map(([id, entry]) => [id, refreshed(entry, rows.get(id))] as const)
  const added = report.requirements
    .filter(({ id, verdict }) => !before.entries.has(id) && counts(verdict, report.strict))
    .map((row) => [row.id, refreshed({ because: toBeWritten }, row)] as const)
  const sorted = [...kept, ...added].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    entries: new Map(sorted),
    added: added.map(([id]) => id),
    changed: kept
      .filter(([id, entry]) => entry.fingerprint !== before.entries.get(id)?.fingerprint)
      .map(([id]) => id),
    removed,
  }
}

/** Tests if the problem of a row is over; a row that was not judged keeps its entry. */
function isOver(row: RequirementRow | undefined): boolean {
  const over: readonly RequirementRow['verdict'][] = [
    'pass',
    'not-applicable',
    'observed',
    'unclaimed',
  ]
  return row !== undefined && over.includes(row.verdict)
}

function counts(verdict: RequirementRow['verdict'], strict: boolean): boolean {
  return verdict === 'fail' || (strict && verdict === 'warn')
}

function refreshed(entry: BaselineEntry, row: RequirementRow | undefined): BaselineEntry {
  if (row === undefined || !isViolation(row)) return entry
  const fingerprint = fingerprintOf(row)
  if (entry.fingerprint === fingerprint) return entry
  return { ...entry, fingerprint, found: stableText(row.message ?? '') }
}
