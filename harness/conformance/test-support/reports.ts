import type { RequirementId } from '../../../contract/index.ts'
import type { ConformanceReport, RequirementResult } from '../../../contract/report/conformance.ts'
import { requirement, reportOf as sketchOf } from '../../../reports/test-support/reports.ts'
import { ConfigurationError } from '../errors.ts'
import { countTotals, reportOutcome } from '../report/build-report.ts'

/** Invented reports, with the outcome and the totals of a real run. */
export function reportOf(
  ids: readonly RequirementResult[],
  more: Partial<ConformanceReport> = {},
): ConformanceReport {
  const { strict = false, faults = [] } = more
  const outcome = reportOutcome({ requirements: [...ids], strict, faults })
  return sketchOf(ids, { outcome, totals: countTotals(ids, 0), ...more })
}

/** A requirement of the catalog, by default broken. */
export function resultOf(
  id: RequirementId,
  more: Partial<RequirementResult> = {},
): RequirementResult {
  return requirement(id, 'fail', more)
}

/** Problems of a configuration that a function reads, one line each; any other error propagates. */
export function problemsIn(read: () => unknown): readonly string[] {
  try {
    read()
    return []
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems
    throw error
  }
}
