import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { type Comparison, compareReports, worseChanges } from '../../../reports/compare/compare.ts'
import { conditionsOf, type Side } from '../../../reports/compare/conditions.ts'
import {
  type Compared,
  comparisonDocument,
  comparisonToJson,
} from '../../../reports/compare/document.ts'
import { loadComparisonDocument } from '../../../reports/compare/loads.ts'
import type { LoadComparison } from '../../../reports/load/model/comparison.ts'
import { jsonText } from '../../../reports/text/escape.ts'
import { compareCapacities } from '../../capacity/compare.ts'
import { exchangesName, runRecordName, suiteVersion } from '../../conformance/defaults.ts'
import {
  asConfigurationError,
  ChatgenFailure,
  ConfigurationError,
} from '../../conformance/errors.ts'
import { profileOfRecord, readRunRecord } from '../../conformance/recording/record.ts'
import { makeFolder, temporaryFolder } from '../../conformance/recording/result-files.ts'
import { compareLoads } from '../../load/comparison/compare-loads.ts'
import type { ComparisonOptions, FigureName } from '../../load/comparison/figures.ts'
import { InputError } from '../../load/options.ts'
import { comparedLatencies } from '../../load/summary/rates.ts'
import { type ExitCode, exitCode, outcomeCodes } from '../exit-codes.ts'
import {
  type CommandRun,
  colorFlag,
  defineCommand,
  type FlagsOf,
  flagTable,
  outFlag,
} from '../flags.ts'
import {
  formatsIn,
  hasFile,
  type PublishFlags,
  type ReportKind,
  renderReport,
  reportKind,
  tellWritten,
} from '../results/publish-report.ts'
import {
  anyEdited,
  capacityIn,
  conformanceIn,
  doubtLines,
  loadIn,
  openStored,
  type StoredFile,
  type StoredReport,
  tellLost,
} from '../results/stored-report.ts'
import type { Io } from '../terminal/io.ts'
import { showProgress } from '../terminal/progress.ts'
import { list, percentage } from '../values.ts'

const comparisonKind = reportKind<Compared>('comparison', {
  toDocument: comparisonDocument,
  toJson: comparisonToJson,
})

const loadComparisonKind = reportKind<LoadComparison>('comparison', {
  toDocument: loadComparisonDocument,
  toJson: jsonText,
})

function compareFlags() {
  return [
    ...flagTable(
      `
      --no-rejudge  do not judge the exchanges of A again
      --metric <names>  figures of load reports to compare, e.g. ttft.p99,success; repeatable
        (default: p50 and p95 of ttft, tpot and e2e, success, and goodput if both have the same SLOs)
      --tolerance <share>=5%  largest change of a latency or rate that counts as no change
      --report <formats>:list=console  formats: ${Object.keys(comparisonKind.formats).join(', ')}`,
      { names: comparedFigures, share: percentage },
    ),
    ...outFlag(),
    ...flagTable(`
      --json  print JSON
      --quiet  no progress`),
    ...colorFlag(),
  ]
}

type CompareFlags = FlagsOf<typeof compareFlags>

const examples = `
Examples:
  $ chatgen compare last-month chatgen-results
  $ chatgen compare main/report.json branch/report.json --report console,html,markdown
  $ chatgen compare load-monday load-tuesday --metric ttft.p99

The exchanges of A are judged again by this version of chatgen, to separate changes of the target
from changes of chatgen. Differences in URL, profile, selection and depth of the two runs are listed first. Nothing
is sent.

For load reports, it prints the ratio of each figure with its confidence interval, and a verdict with a
family-wise error rate of 5 %.

Exit codes:
  0 no regression   1 a requirement is newly violated, or a figure is a regression
  2 usage, reports of different kinds, or a report that was edited after its run
  5 nothing newly violated, but a required requirement that passed is now undecided; or no figure is a
    regression, and some are undecided
  6 the load generator was the bottleneck in a run`

/** `chatgen compare A B`: differences of two reports, attributed to the target or to chatgen. */
export const compareCommand = defineCommand({
  args: { '<a>': 'earlier results: a folder, or a report.json', '<b>': 'later results' },
  flags: compareFlags,
  help: examples,
  async run({ flags, io, command }: CommandRun<CompareFlags>, pathA: string, pathB: string) {
    const options = { figures: flags.metric ?? null, tolerance: flags.tolerance }
    const [fileA, fileB] = [openStored(pathA), openStored(pathB)]
    const files = [fileA, fileB] as const
    for (const line of doubtLines(files)) io.err(line)
    const { kind } = fileA
    if (kind !== fileB.kind) {
      throw new ConfigurationError([
        `reports of different kinds cannot be compared: ${files.map(({ file, kind }) => `${file} is ${kindText(kind)}`).join(', ')}`,
      ])
    }
    refuseFiguresFlags(command, kind)
    if (kind === 'load-report' || kind === 'capacity-report') {
      const comparison =
        kind === 'load-report'
          ? comparedLoads(files, options)
          : compareCapacities(capacityIn(fileA), capacityIn(fileB), options.tolerance)
      const notes = [...doubtLines(files), ...comparison.notes]
      publishComparison({ ...comparison, notes }, loadComparisonKind, flags, io)
      return anyEdited(files) ? exitCode.usage : outcomeCodes[comparison.outcome]
    }
    const [a, b] = [conformanceIn(fileA), conformanceIn(fileB)]
    tellLost(a, io)
    const again = flags.rejudge ? await rejudged(a, b, io, flags) : { notes: [] }
    const conditions = conditionsOf(sideOf(a), sideOf(b))
    const comparison = compareReports(a.report, b.report, { rejudged: again.report, conditions })
    const notes = [...doubtLines(files), ...again.notes]
    const compared = { comparison, a: a.report, b: b.report, notes }
    publishComparison(compared, comparisonKind, flags, io)
    return anyEdited(files) ? exitCode.usage : codeOf(comparison, b.report)
  },
})

/** @throws ConfigurationError for a flag that has no effect on reports of this kind */
function refuseFiguresFlags(command: Command, kind: unknown): void {
  const ofCapacity = kind === 'capacity-report' ? ['metric'] : []
  const idle = kind === 'conformance-report' ? ['metric', 'tolerance'] : ofCapacity
  const given = idle.filter((name) => command.getOptionValueSource(name) === 'cli')
  if (given.length === 0) return
  throw new ConfigurationError(given.map((name) => `--${name} does not apply to a ${String(kind)}`))
}

function kindText(kind: unknown): string {
  return typeof kind === 'string' ? `a ${kind}` : 'no report'
}

/** A report, with the settings of its run if their record can be read. */
function sideOf({ report, dir }: StoredReport): Side {
  const file = join(dir, runRecordName)
  try {
    const record = readRunRecord(file)
    if (record.startedAt !== report.startedAt) return { report, settings: null }
    const { selection, explore = 0 } = record
    const profile = profileOfRecord(record, file)
    return { report, settings: { selection, explore, profile } }
  } catch (error) {
    if (error instanceof ConfigurationError) return { report, settings: null }
    throw error
  }
}

function codeOf(comparison: Comparison, b: ConformanceReport): ExitCode {
  if (worseChanges(comparison, b).length > 0) return exitCode.violated
  return comparison.newlyUnproven.some(({ level }) => level === 'required')
    ? exitCode.incomplete
    : exitCode.done
}

/** The report of A by this version of chatgen; a note instead if it cannot be made. */
async function rejudged(
  a: StoredReport,
  b: StoredReport,
  io: Io,
  { json, quiet }: CompareFlags,
): Promise<{ readonly report?: ConformanceReport; readonly notes: readonly string[] }> {
  const missing = [runRecordName, exchangesName].filter((name) => !existsSync(join(a.dir, name)))
  if (missing.length > 0) {
    const names = missing.join(' and no ')
    const note = `${a.dir} has no ${names}: cannot tell whether the target or chatgen changed.`
    return { notes: [note] }
  }
  const { rejudge } = await import('../../conformance/recording/rejudge.ts')
  const outDir = temporaryFolder('compare')
  const progress = showProgress(io, !json && !quiet)
  try {
    const { signal } = io
    const report = await rejudge({ dir: a.dir, outDir, signal, onProgress: progress.update })
    signal.throwIfAborted()
    const version = suiteVersion()
    const other = b.report.suite.version
    const note = `B was judged by chatgen ${other}, and A again by ${version}: run chatgen rejudge ${b.dir} to make them comparable.`
    return { report, notes: other === version ? [] : [note] }
  } catch (error) {
    if (!(error instanceof ChatgenFailure) || error.code === 'E_INTERRUPTED') throw error
    return { notes: [`The exchanges of A cannot be judged again: ${error.message}`] }
  } finally {
    progress.stop()
    rmSync(outDir, { recursive: true, force: true })
  }
}

/** Prints a comparison, and writes the formats that have a file. */
function publishComparison<Report>(
  report: Report,
  kind: ReportKind<Report>,
  { report: names = [], out, json = false, color }: PublishFlags,
  io: Io,
): void {
  const formats = formatsIn(kind, json ? names.filter((name) => name !== 'console') : names)
  if (json) io.out(kind.toJson(report).trimEnd())
  if (hasFile(formats)) makeFolder(out)
  const style = { color: io.color && color, width: io.width, verbose: false }
  renderReport(report, { formats, out, style, print: io.out }, io)
  tellWritten(formats, out, { ...io, out: json ? io.err : io.out })
}

const others = ['success', 'goodput', 'rate', 'tokens']

/** Parses `--metric`: `ttft.p99`, `success`, `rate`; repeatable, with commas. */
function comparedFigures(text: string, before: readonly FigureName[] = []): readonly FigureName[] {
  return [...before, ...list(text).map(figureName)]
}

function figureName(name: string): FigureName {
  if (name === 'success' || name === 'goodput') return { share: name }
  if (name === 'rate' || name === 'tokens') return { rate: name }
  const match = /^(\w+)\.p(\d{1,2}(?:\.\d+)?)$/.exec(name)
  const metric = comparedLatencies.find((name) => name === match?.[1])
  const q = Number((Number(match?.[2]) / 100).toPrecision(10))
  if (metric === undefined || !(q > 0)) {
    const latencies = comparedLatencies.map((name) => `${name}.p95`)
    throw new InvalidArgumentError(`must be one of ${[...latencies, ...others].join(', ')}`)
  }
  return { metric, q }
}

/** @throws ConfigurationError if a report has nothing to compare */
function comparedLoads([a, b]: readonly [StoredFile, StoredFile], options: ComparisonOptions) {
  const side = (stored: StoredFile) => ({ name: stored.file, report: loadIn(stored) })
  return asConfigurationError(InputError, () => compareLoads(side(a), side(b), options))
}
