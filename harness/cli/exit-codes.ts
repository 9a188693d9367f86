import type { ConformanceReport } from '../../contract/report/conformance.ts'
import type { LoadReport } from '../../contract/report/load.ts'
import { ConfigurationError, InterruptedError, TargetUnusableError } from '../conformance/errors.ts'

/** One meaning each; the README lists them. */
export const exitCode = {
  done: 0,
  violated: 1,
  usage: 2,
  targetUnusable: 3,
  kitFault: 4,
  incomplete: 5,
  measurementInvalid: 6,
  interrupted: 130,
} as const
export type ExitCode = (typeof exitCode)[keyof typeof exitCode]

/** Where several hold: interrupted, violated, fault of the kit, incomplete, done. */
export function exitCodeOf(report: ConformanceReport): ExitCode {
  if (report.interrupted) return exitCode.interrupted
  if (report.outcome === 'violated') return exitCode.violated
  if (report.faults.length > 0 || report.totals.error > 0) return exitCode.kitFault
  return report.outcome === 'incomplete' ? exitCode.incomplete : exitCode.done
}

/** Where several hold: interrupted, violated or missed, fault of the kit, invalid, undecided, met. */
export function exitCodeOfLoad(report: LoadReport): ExitCode {
  if (report.interrupted) return exitCode.interrupted
  const undecided = report.outcome === 'missed' && !report.slo.some(isMissed)
  if (report.outcome === 'violated' || (report.outcome === 'missed' && !undecided)) {
    return exitCode.violated
  }
  if (report.faults.length > 0) return exitCode.kitFault
  if (report.outcome === 'invalid') return exitCode.measurementInvalid
  return undecided ? exitCode.incomplete : exitCode.done
}

function isMissed({ verdict }: LoadReport['slo'][number]): boolean {
  return verdict === 'missed'
}

/** The exit code of what ended with this one, but for a fault of the kit on the way. */
export function withFault(code: ExitCode): ExitCode {
  const lesser: readonly ExitCode[] = [
    exitCode.measurementInvalid,
    exitCode.incomplete,
    exitCode.done,
  ]
  return lesser.includes(code) ? exitCode.kitFault : code
}

/** What was thrown before there was a report; undefined for a fault of the kit. */
export function exitCodeOfError(error: unknown): ExitCode | undefined {
  if (error instanceof InterruptedError) return exitCode.interrupted
  if (error instanceof ConfigurationError) return exitCode.usage
  if (error instanceof TargetUnusableError) return exitCode.targetUnusable
  return undefined
}
