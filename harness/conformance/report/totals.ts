import { isRequirementId } from '../../../contract/index.ts'
import type { ConformanceReport, RequirementRow } from '../../../contract/report/conformance.ts'
import { matches } from '../profile/selection.ts'

export function countTotals(
  rows: readonly RequirementRow[],
  observed: number,
): ConformanceReport['totals'] {
  const count = (verdict: RequirementRow['verdict']) =>
    rows.filter((row) => row.verdict === verdict).length
  return {
    pass: count('pass'),
    fail: count('fail'),
    warn: count('warn'),
    observed,
    'not-applicable': count('not-applicable'),
    inconclusive: count('inconclusive'),
    error: count('error'),
    unproven: count('unproven'),
    known: rows.filter((row) => row.known).length,
  }
}

/**
 * Violated: a required row fails that no baseline names (with `strict`, a warning counts as well).
 * Incomplete: nothing violated, but a required row was not decided. Unclaimed rows do not count, nor
 * do rows that a known violation blocks: who accepts the one accepts that the others wait for it.
 * @param allowed ids of undecided requirements that do not count
 */
export function reportOutcome(
  rows: readonly RequirementRow[],
  strict: boolean,
  allowed: readonly string[] = [],
): ConformanceReport['outcome'] {
  const violated = rows.some(
    (row) => !row.known && (row.verdict === 'fail' || (strict && row.verdict === 'warn')),
  )
  if (violated) return 'violated'
  const open = rows.some(
    (row) =>
      row.level === 'required' &&
      ['unproven', 'inconclusive', 'error'].includes(row.verdict) &&
      !allowed.includes(row.id) &&
      !isBlockedByKnown(row, rows),
  )
  return open ? 'incomplete' : 'conforms'
}

/** Tests if a known violation blocks a row, directly or through rows that are blocked themselves. */
function isBlockedByKnown(row: RequirementRow, rows: readonly RequirementRow[]): boolean {
  const ids = new Set<string>()
  for (let { blockedBy } = row; blockedBy !== null && !ids.has(blockedBy); ) {
    ids.add(blockedBy)
    const blocker = rows.find(({ id }) => id === blockedBy)
    if (blocker === undefined || blocker.known) return blocker !== undefined
    blockedBy = blocker.blockedBy
  }
  return false
}

/**
 * The report with undecided requirements that do not count. Only what a complete run could not decide is allowed:
 * neither an internal error, nor a run that the target ended, nor one in which nothing passed.
 * @param globs over ids, areas and titles; none leaves the report as it is
 */
export function allowUndecided(
  report: ConformanceReport,
  globs: readonly string[],
): ConformanceReport {
  if (globs.length === 0) return report
  const { requirements, strict, stopped } = report
  const isComplete = stopped === undefined && requirements.some(({ verdict }) => verdict === 'pass')
  const ids = requirements.filter((row) => isComplete && isAllowed(row, globs)).map(({ id }) => id)
  return {
    ...report,
    outcome: reportOutcome(requirements, strict, ids),
    allowedUndecided: { globs: [...globs], ids },
  }
}

function isAllowed({ id, level, verdict }: RequirementRow, globs: readonly string[]): boolean {
  return (
    level === 'required' &&
    (verdict === 'inconclusive' || verdict === 'unproven') &&
    isRequirementId(id) &&
    globs.some((glob) => matches(glob, id))
  )
}
