import { isRequirementId } from '../../../contract/index.ts'
import type { ConformanceReport, RequirementRow } from '../../../contract/report/conformance.ts'
import { matches } from '../profile/selection.ts'
import { reportOutcome } from './totals.ts'

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
