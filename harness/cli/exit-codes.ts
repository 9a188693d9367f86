import type { CapacityReport } from '../../contract/report/capacity/report.ts'
import type { ConformanceReport } from '../../contract/report/conformance.ts'
import type { LoadReport } from '../../contract/report/load/report.ts'
import type { PlanReport } from '../../contract/report/plan.ts'
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

/** Precedence: interrupted, violated or missed, internal error, invalid, undecided, met. */
export function exitCodeOfLoad({
  interrupted,
  outcome,
  faults,
}: Pick<LoadReport, 'interrupted' | 'outcome' | 'faults'>): ExitCode {
  if (interrupted) return exitCode.interrupted
  const code = loadCodes[outcome]
  return faults.length > 0 ? withInternalError(code) : code
}

const loadCodes: Readonly<Record<LoadReport['outcome'], ExitCode>> = {
  met: exitCode.done,
  missed: exitCode.violated,
  violated: exitCode.violated,
  undecided: exitCode.incomplete,
  invalid: exitCode.measurementInvalid,
}

/** Precedence: interrupted, unreachable, violated, internal error, invalid, undecided, found. */
export function exitCodeOfCapacity({ interrupted, outcome, faults }: CapacityReport): ExitCode {
  if (interrupted) return exitCode.interrupted
  const code = capacityCodes[outcome]
  return faults.length > 0 ? withInternalError(code) : code
}

const capacityCodes: Readonly<Record<CapacityReport['outcome'], ExitCode>> = {
  found: exitCode.done,
  'above max': exitCode.done,
  'below min': exitCode.violated,
  violated: exitCode.violated,
  undecided: exitCode.incomplete,
  invalid: exitCode.measurementInvalid,
  unreachable: exitCode.targetUnusable,
}

export function exitCodeOfPlan({ outcome }: PlanReport): ExitCode {
  return planCodes[outcome]
}

const planCodes: Readonly<Record<PlanReport['outcome'], ExitCode>> = {
  found: exitCode.done,
  unattainable: exitCode.violated,
  unreliable: exitCode.incomplete,
  provisional: exitCode.incomplete,
  invalid: exitCode.measurementInvalid,
}

/** Raises a lesser exit code to 4, for a run during which an internal error occurred. */
export function withInternalError(code: ExitCode): ExitCode {
  const lesser: readonly ExitCode[] = [
    exitCode.measurementInvalid,
    exitCode.incomplete,
    exitCode.done,
  ]
  return lesser.includes(code) ? exitCode.internalError : code
}

/** Exit code of an error that was thrown before there was a report; undefined for an internal error. */
export function exitCodeOfError(error: unknown): ExitCode | undefined {
  if (error instanceof InterruptedError) return exitCode.interrupted
  if (error instanceof ConfigurationError) return exitCode.usage
  if (error instanceof TargetUnusableError) return exitCode.targetUnusable
  return undefined
}
