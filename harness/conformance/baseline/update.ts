import { stableText } from '../../../contract/index.ts'
import type { ConformanceReport, RequirementRow } from '../../../contract/report/conformance.ts'
import { isViolation } from '../../../contract/report/conformance.ts'
import { fingerprintOf } from './compare.ts'
import { type Baseline, type BaselineEntry, toBeWritten } from './file.ts'

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
 * owners, and days, also those that are over. Warnings are added only where the run counts them.
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
