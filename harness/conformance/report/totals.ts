import { isRequirementId } from '../../../contract/index.ts'
import type { ConformanceReport, RequirementResult } from '../../../contract/report/conformance.ts'
import { matches } from '../profile/selection.ts'

export function countTotals(
  requirements: readonly RequirementResult[],
  observed: number,
): ConformanceReport['totals'] {
  const count = (verdict: RequirementResult['verdict']) =>
    requirements.filter((requirement) => requirement.verdict === verdict).length
  return {
    pass: count('pass'),
    fail: count('fail'),
    warn: count('warn'),
    observed,
    'not-applicable': count('not-applicable'),
    inconclusive: count('inconclusive'),
    error: count('error'),
    unproven: count('unproven'),
    known: requirements.filter((requirement) => requirement.known).length,
  }
}

/**
 * Violated: a required requirement fails that no baseline names (with `strict`, a warning counts as well).
 * Incomplete: nothing violated, but a required requirement was not decided. Unclaimed requirements do not
 * count, nor do requirements that a known violation blocks: accepting the violation includes the requirements
 * that depend on it.
 * @param allowed ids of undecided requirements that do not count
 */
export function reportOutcome(
  requirements: readonly RequirementResult[],
  strict: boolean,
  allowed: readonly string[] = [],
): ConformanceReport['outcome'] {
  const violated = requirements.some(
    (requirement) =>
      !requirement.known &&
      (requirement.verdict === 'fail' || (strict && requirement.verdict === 'warn')),
  )
  if (violated) return 'violated'
  const open = requirements.some(
    (requirement) =>
      requirement.level === 'required' &&
      ['unproven', 'inconclusive', 'error'].includes(requirement.verdict) &&
      !allowed.includes(requirement.id) &&
      !isBlockedByKnown(requirement, requirements),
  )
  return open ? 'incomplete' : 'conforms'
}

/** Tests if a known violation blocks a requirement, directly or through requirements that are blocked themselves. */
function isBlockedByKnown(
  requirement: RequirementResult,
  requirements: readonly RequirementResult[],
): boolean {
  const ids = new Set<string>()
  for (let { blockedBy } = requirement; blockedBy !== null && !ids.has(blockedBy); ) {
    ids.add(blockedBy)
    const blocker = requirements.find(({ id }) => id === blockedBy)
    if (blocker === undefined || blocker.known) return blocker !== undefined
    blockedBy = blocker.blockedBy
  }
  return false
}

/**
 * The report with undecided requirements that do not count: only those that a complete run could not decide,
 * not after an internal error, in a run that the target ended, or in one in which nothing passed.
 * @param globs over ids, areas and titles; none leaves the report as it is
 */
export function allowUndecided(
  report: ConformanceReport,
  globs: readonly string[],
): ConformanceReport {
  if (globs.length === 0) return report
  const { requirements, strict, stopped } = report
  const isComplete = stopped === undefined && requirements.some(({ verdict }) => verdict === 'pass')
  const ids = requirements
    .filter((requirement) => isComplete && isAllowed(requirement, globs))
    .map(({ id }) => id)
  return {
    ...report,
    outcome: reportOutcome(requirements, strict, ids),
    allowedUndecided: { globs: [...globs], ids },
  }
}

function isAllowed({ id, level, verdict }: RequirementResult, globs: readonly string[]): boolean {
  return (
    level === 'required' &&
    (verdict === 'inconclusive' || verdict === 'unproven') &&
    isRequirementId(id) &&
    globs.some((glob) => matches(glob, id))
  )
}
