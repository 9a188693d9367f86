import {
  type Failure,
  failureDocument,
  failureOutcome,
  failureToGitHub,
  failureToJson,
  failureToJUnit,
} from '../../../reports/failure.ts'
import { suiteVersion } from '../../conformance/defaults.ts'
import { ChatgenFailure, ConfigurationError } from '../../conformance/errors.ts'
import { exitCode, exitCodeOfError } from '../exit-codes.ts'
import type { Io } from '../terminal/io.ts'
import { makeOutFolder } from './folder-lock.ts'
import { reportKind } from './formats.ts'
import { renderReport } from './publish-report.ts'
import { resultsIn } from './results-folder.ts'
import { withoutSecrets } from './safe-text.ts'

const failureKind = reportKind<Failure>('report', {
  toDocument: failureDocument,
  toJson: failureToJson,
  toJUnit: failureToJUnit,
  toOutcome: failureOutcome,
  more: { github: { file: null, render: failureToGitHub } },
})

export interface FailureFlags {
  readonly out: string
  /** Formats of `--report`; undefined without it. */
  readonly report?: readonly string[] | undefined
  readonly json?: boolean
}

/**
 * Runs a command. If it ends before it has a result, the reason is written in every format that `--report` and `--json` ask
 * for, and the error is thrown again, so that standard error has it as well. Results that are in the folder stay.
 */
export async function withFailureReport(
  command: string,
  flags: FailureFlags,
  io: Io,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run()
  } catch (error) {
    publishFailure(command, error, flags, io)
    throw error
  }
}

function publishFailure(command: string, error: unknown, flags: FailureFlags, io: Io): void {
  const code = exitCodeOfError(error)
  if (!(error instanceof ChatgenFailure) || code === undefined) return
  const isUnusable = code === exitCode.targetUnusable
  if (!isUnusable && code !== exitCode.usage) return
  const failure = withoutSecrets<Failure>(
    {
      kind: 'failure-report',
      schemaVersion: 1,
      outcome: isUnusable ? 'unusable' : 'refused',
      exitCode: code,
      command,
      messages: error instanceof ConfigurationError ? error.problems : [error.message],
      startedAt: new Date().toISOString(),
      suite: { version: suiteVersion() },
    },
    io,
  )
  const { out, report = [], json = false } = flags
  if (json) io.out(failureKind.toJson(failure).trimEnd())
  const formats = Object.entries(failureKind.formats)
    .filter(([name]) => name !== 'console' && report.includes(name))
    .map(([name, format]) => ({ name, ...format }))
  const isWritable = formats.some(({ file }) => file !== null) && canWrite(out)
  const style = { color: false, width: io.width, verbose: false }
  renderReport(
    failure,
    {
      formats: formats.filter(({ file }) => file === null || isWritable),
      out,
      style,
      print: json ? io.err : io.out,
      evidence: undefined,
    },
    io,
  )
}

/** Tests if the folder has no results, and is not that of a run that goes on. */
function canWrite(out: string): boolean {
  const there = resultsIn(out)
  if (there !== null && there.kind !== 'failure-report') return false
  try {
    makeOutFolder(out)
    return true
  } catch {
    return false
  }
}
