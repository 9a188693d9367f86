import type { ConformanceReport } from '../../contract/report/conformance.ts'
import type { CapacityReport } from '../../reports/capacity/model/report.ts'
import type { LoadComparison } from '../../reports/load/model/comparison.ts'
import type { LoadReport } from '../../reports/load/model/report.ts'
import type { PlanReport } from '../../reports/plan/model.ts'
import { ConfigurationError, InterruptedError, TargetUnusableError } from '../conformance/errors.ts'

/** Exit codes, as listed in the README. */
export const exitCode = {
  done: 0,
  violated: 1,
  usage: 2,
  targetUnusable: 3,
  internalError: 4,
  incomplete: 5,
  measurementInvalid: 6,
  interrupted: 130,
} as const
export type ExitCode = (typeof exitCode)[keyof typeof exitCode]

/** Precedence: interrupted, violated, internal error, incomplete, done. */
export function exitCodeOf(report: ConformanceReport): ExitCode {
  if (report.interrupted) return exitCode.interrupted
  if (report.outcome === 'violated') return exitCode.violated
  if (report.faults.length > 0 || report.totals.error > 0) return exitCode.internalError
  return report.outcome === 'incomplete' ? exitCode.incomplete : exitCode.done
}

/** Precedence: interrupted, unreachable, violated or missed, internal error, invalid, undecided, met or found. */
export function exitCodeOfMeasurement({
  interrupted,
  outcome,
  faults,
}: Pick<LoadReport | CapacityReport, 'interrupted' | 'outcome' | 'faults'>): ExitCode {
  if (interrupted) return exitCode.interrupted
  const code = outcomeCodes[outcome]
  return faults.length > 0 ? withInternalError(code) : code
}

/** Codes of measurements, of plans and of comparisons of loads. */
export const outcomeCodes: Readonly<
  Record<(LoadReport | CapacityReport | PlanReport | LoadComparison)['outcome'], ExitCode>
> = {
  met: exitCode.done,
  found: exitCode.done,
  'above max': exitCode.done,
  'no regression': exitCode.done,
  missed: exitCode.violated,
  violated: exitCode.violated,
  'below min': exitCode.violated,
  unattainable: exitCode.violated,
  regression: exitCode.violated,
  unreachable: exitCode.targetUnusable,
  undecided: exitCode.incomplete,
  unreliable: exitCode.incomplete,
  provisional: exitCode.incomplete,
  invalid: exitCode.measurementInvalid,
}

/** Raises a lesser exit code to 4, for a run during which an internal error occurred. */
export function withInternalError(code: ExitCode): ExitCode {
  const { done, incomplete, measurementInvalid, internalError } = exitCode
  return code === done || code === incomplete || code === measurementInvalid ? internalError : code
}

/** Exit code of an error that was thrown before there was a report; undefined for an internal error. */
export function exitCodeOfError(error: unknown): ExitCode | undefined {
  if (error instanceof InterruptedError) return exitCode.interrupted
  if (error instanceof ConfigurationError) return exitCode.usage
  if (error instanceof TargetUnusableError) return exitCode.targetUnusable
  return undefined
}
