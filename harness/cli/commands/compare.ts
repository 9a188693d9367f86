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
import { colorFlag, flag } from '../flags.ts'
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

The exchanges of A are judged again by this version of chatgen, to tell changes of the target from
changes of chatgen. Differences in URL, profile and selection of the two runs are listed first. Nothing
is sent.

Exit codes:
  0 no regression   1 a requirement is newly violated
  2 usage, not a conformance report, or a report that was edited after its run
  5 nothing newly violated, but a required requirement that passed is now undecided`

/** `chatgen compare A B`: differences of two reports, attributed to the target or to chatgen. */
export const compareCommand: AddCommand = (program, io, finish) => {
  program
    .command('compare')
    .description('compare two reports, and tell changes of the target from changes of chatgen')
    .argument('<a>', 'earlier results: a folder, or a report.json')
    .argument('<b>', 'later results')
    .addOption(flag('--no-rejudge', 'do not judge the exchanges of A again'))
    .addOption(flag('--json', 'print JSON'))
    .addOption(colorFlag())
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

/** @throws ConfigurationError that names the alternative for load reports */
function refuseLoads(files: readonly StoredFile[]): void {
  const loads = files.filter(({ kind }) => kind === 'load-report')
  const [first] = loads
  if (first === undefined) return
  const what = loads.length === 2 ? 'these are load reports' : `${first.file} is a load report`
  throw new ConfigurationError([
    `compare reads conformance reports only, and ${what}; render load reports with chatgen report DIR --report markdown`,
  ])
}

/** A report, with the settings of its run if their record can be read. */
function sideOf({ report, dir }: StoredReport): Side {
  const file = join(dir, runRecordName)
  try {
    const record = readRunRecord(file)
    if (record.startedAt !== report.startedAt) return { report, settings: null }
    const { selection } = record
    return { report, settings: { selection, profile: profileOfRecord(record, file) } }
  } catch (error) {
    if (error instanceof ConfigurationError) return { report, settings: null }
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

/** The report of A by this version of chatgen; a note instead if it cannot be made. */
async function rejudged(
  a: StoredReport,
  b: StoredReport,
  io: Io,
  { json }: CompareFlags,
): Promise<Again> {
  const missing = [runRecordName, exchangesName].filter((name) => !existsSync(join(a.dir, name)))
  if (missing.length > 0) {
    const names = missing.join(' and no ')
    return {
      notes: [`${a.dir} has no ${names}: cannot tell whether the target or chatgen changed.`],
    }
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
    const note = `B was judged by chatgen ${other}, and A again by ${version}: run chatgen rejudge ${b.dir} to make them comparable.`
    return { report, notes: other === version ? [] : [note] }
  } catch (error) {
    if (!(error instanceof KitError) || error.code === 'E_INTERRUPTED') throw error
    return { notes: [`The exchanges of A cannot be judged again: ${error.message}`] }
  } finally {
    progress.stop()
    rmSync(outDir, { recursive: true, force: true })
  }
}
