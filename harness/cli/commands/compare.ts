import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { type Comparison, compareReports } from '../../../reports/compare/compare.ts'
import { conditionsOf, type Side } from '../../../reports/compare/conditions.ts'
import { comparisonToJson, comparisonToText } from '../../../reports/compare/writers.ts'
import { exchangesName, runRecordName } from '../../conformance/defaults.ts'
import { ConfigurationError, KitError } from '../../conformance/errors.ts'
import { profileOfRecord, readRunRecord } from '../../conformance/recording/record.ts'
import { suiteVersion } from '../../conformance/version.ts'
import type { AddCommand } from '../command.ts'
import { type ExitCode, exitCode } from '../exit-codes.ts'
import { flag } from '../flags.ts'
import {
  anyEdited,
  conformanceIn,
  doubtLines,
  lostText,
  openStored,
  type StoredFile,
  type StoredReport,
} from '../results/stored-report.ts'
import type { Io } from '../terminal/io.ts'
import { showProgress } from '../terminal/progress.ts'

interface CompareFlags {
  readonly rejudge: boolean
  readonly json?: boolean
  readonly color: boolean
}

const examples = `
Examples:
  $ chatgen compare last-month chatgen-results
  $ chatgen compare main/report.json branch/report.json --json

What A recorded is judged again with this kit: rows that change by that are the kit's, the others the
target's, unless the runs were told different things: another URL, profile or selection is named first.
Nothing is sent.

Exit codes:
  0 nothing got worse   1 a row is newly violated
  2 usage, a file that is no report of conformance, or one that was edited after its run
  5 nothing newly violated, but a required row is no longer proven`

/** `chatgen compare A B`: what changed between two reports, and whether target or kit did. */
export const compareCommand: AddCommand = (program, io, finish) => {
  program
    .command('compare')
    .description('say what changed between two reports, and whether the target or the kit did')
    .argument('<a>', 'the earlier results: a folder, or a report.json')
    .argument('<b>', 'the later results')
    .addOption(flag('--no-rejudge', 'do not judge what A recorded again'))
    .addOption(flag('--json', 'print JSON'))
    .addOption(flag('--no-color', 'no colours'))
    .addHelpText('after', examples)
    .action(async (pathA: string, pathB: string, flags: CompareFlags) => {
      const [fileA, fileB] = [openStored(pathA), openStored(pathB)]
      const files = [fileA, fileB]
      refuseLoads(files)
      for (const line of doubtLines(files)) io.err(line)
      const [a, b] = [conformanceIn(fileA), conformanceIn(fileB)]
      const lost = lostText(a)
      if (lost !== null) io.err(lost)
      const again = flags.rejudge ? await rejudged(a, b, io, flags) : { notes: [] }
      const conditions = conditionsOf(sideOf(a), sideOf(b))
      const comparison = compareReports(a.report, b.report, { rejudged: again.report, conditions })
      const notes = [...doubtLines(files), ...again.notes]
      io.out(
        flags.json
          ? comparisonToJson(comparison, a.report, b.report, notes).trimEnd()
          : comparisonToText(comparison, a.report, b.report, {
              color: io.color && flags.color,
              width: io.width,
              notes,
            }).trimEnd(),
      )
      finish(anyEdited(files) ? exitCode.usage : codeOf(comparison, b.report))
    })
}

/** @throws ConfigurationError that says what a load can be compared by until then */
function refuseLoads(files: readonly StoredFile[]): void {
  const loads = files.filter(({ kind }) => kind === 'load-report')
  const [first] = loads
  if (first === undefined) return
  const what = loads.length === 2 ? 'these are reports of loads' : `${first.file} is one of a load`
  throw new ConfigurationError([
    `compare reads reports of conformance, and ${what}: put two loads side by side with chatgen report DIR --report markdown`,
  ])
}

/** A report, and what its run was told where the record of it is there and can be read. */
function sideOf({ report, dir }: StoredReport): Side {
  const file = join(dir, runRecordName)
  try {
    const record = readRunRecord(file)
    if (record.startedAt !== report.startedAt) return { report, told: null }
    const { selection } = record
    return { report, told: { selection, profile: profileOfRecord(record, file) } }
  } catch (error) {
    if (error instanceof ConfigurationError) return { report, told: null }
    throw error
  }
}

function codeOf(comparison: Comparison, { strict }: ConformanceReport): ExitCode {
  const { newlyViolated, newlyWarned, newlyUnproven } = comparison
  const violated = strict ? [...newlyViolated, ...newlyWarned] : newlyViolated
  if (violated.some(({ known }) => !known)) return exitCode.violated
  return newlyUnproven.some(({ level }) => level === 'required')
    ? exitCode.incomplete
    : exitCode.done
}

interface Again {
  readonly report?: ConformanceReport
  readonly notes: readonly string[]
}

/** What this kit makes of A; where it cannot, a note says why, and the rest stands without it. */
async function rejudged(
  a: StoredReport,
  b: StoredReport,
  io: Io,
  { json }: CompareFlags,
): Promise<Again> {
  const missing = [runRecordName, exchangesName].filter((name) => !existsSync(join(a.dir, name)))
  if (missing.length > 0) {
    const what = missing.join(' and no ')
    return { notes: [`${a.dir} holds no ${what}: whether target or kit changed cannot be told.`] }
  }
  const { rejudge } = await import('../../conformance/recording/rejudge.ts')
  const outDir = mkdtempSync(join(tmpdir(), 'chatgen-compare-'))
  const progress = showProgress(io, !json)
  try {
    const report = await rejudge({
      dir: a.dir,
      outDir,
      signal: io.signal,
      onProgress: progress.update,
    })
    const version = suiteVersion()
    const other = b.report.suite.version
    const note = `B was judged by kit ${other}, and what A recorded again by ${version}: chatgen rejudge ${b.dir} makes them comparable.`
    return { report, notes: other === version ? [] : [note] }
  } catch (error) {
    if (!(error instanceof KitError) || error.code === 'E_INTERRUPTED') throw error
    return { notes: [`What A recorded cannot be judged again: ${error.message}`] }
  } finally {
    progress.stop()
    rmSync(outDir, { recursive: true, force: true })
  }
}
