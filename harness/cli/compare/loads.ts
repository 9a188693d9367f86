import type { LoadComparison } from '../../../contract/report/load/comparison.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import {
  type ComparisonOptions,
  compareLoads,
  NotComparableError,
} from '../../load/comparison/compare-loads.ts'
import { type ExitCode, exitCode } from '../exit-codes.ts'
import { loadIn, type StoredFile } from '../results/stored-report.ts'

/** @throws ConfigurationError if a report has nothing to compare */
export function comparedLoads(
  [a, b]: readonly [StoredFile, StoredFile],
  options: ComparisonOptions,
): LoadComparison {
  try {
    return compareLoads(
      { name: a.file, report: loadIn(a) },
      { name: b.file, report: loadIn(b) },
      options,
    )
  } catch (error) {
    if (error instanceof NotComparableError) throw new ConfigurationError([error.message])
    throw error
  }
}

export const exitCodeOfComparison: Readonly<Record<LoadComparison['outcome'], ExitCode>> = {
  regression: exitCode.violated,
  'no regression': exitCode.done,
  undecided: exitCode.incomplete,
  invalid: exitCode.measurementInvalid,
}
