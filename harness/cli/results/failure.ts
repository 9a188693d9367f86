import { Command, CommanderError } from 'commander'
import {
  type Failure,
  failureDocument,
  failureToBadge,
  failureToCsv,
  failureToGitHub,
  failureToJUnit,
  failureToPrometheus,
} from '../../../reports/failure.ts'
import { jsonText } from '../../../reports/text/escape.ts'
import { suiteVersion } from '../../conformance/defaults.ts'
import { ChatgenFailure, ConfigurationError } from '../../conformance/errors.ts'
import { exitCode, exitCodeOfError } from '../exit-codes.ts'
import { readSwitches, refuseEmpty } from '../flags.ts'
import type { Io } from '../terminal/io.ts'
import { makeOutFolder } from './folder-lock.ts'
import {
  formatsIn,
  hasFile,
  type PublishFlags,
  renderReport,
  reportKind,
  withoutSecrets,
} from './publish-report.ts'
import { resultsIn, setAside } from './results-folder.ts'

const failureKind = reportKind<Failure>('report', {
  toDocument: failureDocument,
  toJson: jsonText,
  toJUnit: failureToJUnit,
  more: {
    github: { file: null, render: failureToGitHub },
    badge: { file: 'badge.svg', render: failureToBadge },
    csv: { file: 'report.csv', render: failureToCsv },
    prometheus: { file: 'report.prom', render: failureToPrometheus },
  },
})

/** Commands whose reports a pipeline reads. */
const reporting: readonly string[] = ['check', 'load', 'capacity']

/**
 * Writes the reason why a command ended before it had a result, in every format that `--report` and `--json` request.
 * Results of an earlier run of the command are moved to a subfolder, so that no page of them is taken for this one.
 */
export function publishFailure(
  command: Command,
  argv: readonly string[],
  error: unknown,
  io: Io,
): void {
  const found = reasonOf(error)
  const flags = found === null ? null : outputFlags(command, argv, io)
  if (!reporting.includes(command.name()) || found === null || flags === null) return
  const failure = withoutSecrets<Failure>(
    {
      kind: 'failure-report',
      schemaVersion: 1,
      outcome: found.code === exitCode.targetUnusable ? 'unusable' : 'refused',
      exitCode: found.code,
      command: command.name(),
      messages: found.messages,
      startedAt: new Date().toISOString(),
      suite: { version: suiteVersion() },
    },
    io,
  )
  const { out, report = [], json = false } = flags
  if (json) io.out(failureKind.toJson(failure).trimEnd())
  const isKnown = (name: string) => name !== 'console' && Object.hasOwn(failureKind.formats, name)
  const knownNames = report.filter(isKnown)
  const all = formatsIn(failureKind, knownNames)
  const isWritable = hasFile(all) && canWrite(out, command.name(), io)
  const formats = all.filter(({ file }) => file === null || isWritable)
  const style = { color: false, width: io.width, verbose: false }
  try {
    renderReport(failure, { formats, out, style, print: json ? io.reportOnErr : io.out }, io)
  } catch (problem) {
    // The disk may be full; the reason is printed, and decides the exit code.
    if (!(problem instanceof ConfigurationError)) throw problem
  }
}

/** Exit code and messages of an error of flags, files or the target; null for any other. */
function reasonOf(error: unknown): { code: number; messages: readonly string[] } | null {
  if (error instanceof CommanderError) {
    const messages = [error.message.replace(/^error: /, '')]
    return error.exitCode === 0 ? null : { code: exitCode.usage, messages }
  }
  const code = exitCodeOfError(error)
  if (!(error instanceof ChatgenFailure)) return null
  if (code !== exitCode.targetUnusable && code !== exitCode.usage) return null
  const messages = error instanceof ConfigurationError ? error.problems : [error.message]
  return { code, messages }
}

/** Output flags of a command line whose other flags may be invalid; null if they are invalid themselves. */
function outputFlags(command: Command, argv: readonly string[], io: Io) {
  const reader = new Command()
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
  for (const option of command.options) {
    if (['out', 'report', 'json'].includes(option.attributeName())) reader.addOption(option)
  }
  try {
    reader.parse(argv.slice(1), { from: 'user' })
    readSwitches(reader, io.env)
    refuseEmpty(reader)
    return reader.opts<Pick<PublishFlags, 'out' | 'report' | 'json'>>()
  } catch {
    return null
  }
}

/** Makes room for the reason; false if the folder has other results, or is in use by another run. */
function canWrite(out: string, command: string, io: Io): boolean {
  try {
    makeOutFolder(out)
    // Results of this run lack what could not be written.
    const isEarlier = Number(resultsIn(out)?.at) < performance.timeOrigin
    if (isEarlier) setAside(out, command, io)
  } catch {
    return false
  }
  const there = resultsIn(out)
  return there === null || there.kind === 'failure-report'
}
