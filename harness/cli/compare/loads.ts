import type { LoadComparison } from '../../../contract/report/load/comparison.ts'
import { loadComparisonToJson, loadComparisonToText } from '../../../reports/compare/loads.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import {
  type ComparisonOptions,
  compareLoads,
  NotComparableError,
} from '../../load/comparison/compare-loads.ts'
import { type ExitCode, exitCode } from '../exit-codes.ts'
import { loadIn, type StoredFile } from '../results/stored-report.ts'
import type { Io } from '../terminal/io.ts'

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

export interface PrintOptions {
  readonly json?: boolean
  readonly color: boolean
}

export function printLoadComparison(
  comparison: LoadComparison,
  notes: readonly string[],
  { json = false, color }: PrintOptions,
  io: Io,
): void {
  const text = json
    ? loadComparisonToJson(comparison, notes)
    : loadComparisonToText(comparison, { color: io.color && color, width: io.width, notes })
  io.out(text.trimEnd())
}

export const exitCodeOfComparison: Readonly<Record<LoadComparison['outcome'], ExitCode>> = {
  regression: exitCode.violated,
  'no regression': exitCode.done,
  undecided: exitCode.incomplete,
  invalid: exitCode.measurementInvalid,
}
