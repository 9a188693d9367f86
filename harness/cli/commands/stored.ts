import { join, resolve } from 'node:path'
import { partialText } from '../../../reports/load/outcome.ts'
import { withDoubt } from '../../../reports/text/digest.ts'
import { exchangesName } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { refuseUnknown } from '../../conformance/profile/selection.ts'
import { allowUndecided } from '../../conformance/report/build-report.ts'
import { missingOf } from '../../load/shards/merge.ts'
import { gateFlags } from '../check/flags.ts'
import { checkFormats, checkKind, defaultsText, openBaseline, publish } from '../check/publish.ts'
import { type ExitCode, exitCode, exitCodeOf, exitCodeOfMeasurement } from '../exit-codes.ts'
import { colorFlag, defineCommand, type FlagsOf, flagTable, outputFlags } from '../flags.ts'
import { capacityKind, loadKind, mergedLoad, mergeRequests, planKind } from '../load/results.ts'
import { makeOutFolder } from '../results/folder-lock.ts'
import {
  foldersFor,
  formatsIn,
  hasFile,
  type ReportKind,
  refuseOtherRun,
  renderReport,
  tellWritten,
} from '../results/publish-report.ts'
import { takeResultsFolder } from '../results/results-folder.ts'
import {
  anyEdited,
  capacityIn,
  conformanceIn,
  doubtLines,
  evidenceDoubtIn,
  openStored,
  planIn,
  readRecording,
  type StoredFile,
  tellLost,
} from '../results/stored-report.ts'
import type { Io } from '../terminal/io.ts'
import { showProgress } from '../terminal/progress.ts'
import { during } from '../terminal/status.ts'

function reportFlags() {
  const formats = Object.keys(capacityKind.formats).join(', ')
  return [
    ...flagTable(`
      --report <formats>:list?console  formats: ${formats}; for a check also badge,
        for a load run also csv and prometheus
      --out <dir> @report  output folder; - for standard output (default: the folder of the report)
      --baseline <file>  known violations of a check, in place of those of the run
      --json  print report.json on standard output, as --report json --out - does`),
    ...colorFlag(),
    ...flagTable('--verbose  also list passed requirements; for a load, latencies by transaction'),
  ]
}

type ReportFlags = FlagsOf<typeof reportFlags>

const reportExamples = `
Examples:
  $ chatgen report chatgen-results
  $ chatgen report chatgen-results --report html,junit
  $ chatgen report monday tuesday --report html --out pages
  $ chatgen report chatgen-results --baseline known.yaml --report markdown --out judged
  $ chatgen report chatgen-results/plan.json --report html
  $ chatgen report shard-0 shard-1 shard-2 --report json,html --out whole
  $ chatgen report capacity-1 --report junit,markdown
  $ chatgen report chatgen-results --report markdown --out - >> "$GITHUB_STEP_SUMMARY"

Exit codes:
  0 rendered, whatever the verdicts (merged shards of a load run: the codes of chatgen load)
  2 usage, not a report, shards of different runs, or results that were edited after their run (they
    are rendered with a warning)
  5 rendered, but shards of the load run are missing or were interrupted`

/** `chatgen report FILE|DIR...`: renders stored results of any kind in any format; merges shards of a load run. */
export const reportCommand = defineCommand({
  args: { '<result...>': 'results folders, or report.json files' },
  flags: reportFlags,
  help: reportExamples,
  run({ flags: given, io }, paths: readonly string[]) {
    const flags = given.json ? { ...given, report: ['json'], out: '-' } : given
    const files = paths.map(openStored)
    for (const line of doubtLines(files)) io.err(line)
    const [kind, ...others] = new Set(files.map(({ kind }) => kind))
    if (others.length > 0) {
      throw new ConfigurationError([
        'reports of different kinds are mixed (check, load, capacity, plan): render them separately',
      ])
    }
    if (flags.baseline !== undefined && kind !== 'conformance-report') {
      throw new ConfigurationError([
        `--baseline applies only to checks: ${files[0]?.file} is not the report of one`,
      ])
    }
    const code = renderKind(kind, files, renderer(flags, io))
    return anyEdited(files) ? exitCode.usage : code
  },
})

type Renderer = ReturnType<typeof renderer>

function renderer(flags: ReportFlags, io: Io) {
  const names = flags.report.length === 0 ? ['console'] : flags.report
  const { color, verbose = false } = flags
  const style = { color: io.color && color, width: io.width, verbose }

  /** Renders a report into a folder, or prints it without one; `begin` is called once the folder is ready. */
  function render<Report extends AnyReport>(
    report: Report,
    kind: ReportKind<Report>,
    folder: string | null,
    { begin, isMerged = false }: { readonly begin: () => unknown; readonly isMerged?: boolean },
  ): void {
    const formats = formatsIn(kind, names)
    const { startedAt } = report
    if (startedAt !== undefined) {
      refuseOtherRun({ kind: report.kind, startedAt }, folder, formats, isMerged)
    }
    if (folder !== null && hasFile(formats)) makeOutFolder(folder)
    begin()
    renderReport(report, { formats, out: folder, style, print: io.out }, io)
    tellWritten(formats, folder, io)
  }

  /** Renders each report by itself, into the folder it came from. */
  function renderEach<Report extends AnyReport>(
    files: readonly StoredFile[],
    read: (file: StoredFile) => readonly [Report, ReportKind<Report>],
  ): ExitCode {
    const folders = foldersFor(files, flags.out)
    for (const [at, [report, kind]] of files.map(read).entries()) {
      const print = flags.json ? io.err : io.out
      const begin = () => files.length > 1 && print(`${files[at]?.file}:`)
      render(report, kind, folders[at] ?? null, { begin })
    }
    return exitCode.done
  }
  return { names, render, renderEach, flags, io }
}

function renderKind(kind: unknown, files: readonly StoredFile[], renderer: Renderer): ExitCode {
  const { renderEach, names, flags, io } = renderer
  if (kind === 'load-report') return renderLoads(files, renderer)
  if (kind === 'capacity-report')
    return renderEach(files, (file) => [capacityIn(file), capacityKind])
  if (kind === 'plan-report') return renderEach(files, (file) => [planIn(file), planKind])
  const baseline = openBaseline({ baseline: flags.baseline }, io)
  formatsIn(checkKind(), names)
  return renderEach(files, (file) => {
    const result = conformanceIn(file)
    tellLost(result, io)
    return [baseline.judge(result.report), checkKind(result.exchanges)]
  })
}

interface AnyReport {
  readonly kind: string
  readonly startedAt?: string
}

/** Merges shards into one report, which needs its own folder. */
function renderLoads(
  files: readonly StoredFile[],
  { names, render, flags, io }: Renderer,
): ExitCode {
  const hasFiles = hasFile(formatsIn(loadKind, names))
  const isMerged = files.length > 1
  const report = mergedLoad(files)
  const out = flags.out ?? (files.length === 1 ? (files[0]?.dir ?? null) : null)
  if (out === null && hasFiles) {
    throw new ConfigurationError([
      'no output folder for the merged report: pass --out DIR, or --out - for standard output',
    ])
  }
  const folder = out === '-' ? null : out
  const dirs = files.map(({ dir }) => dir)
  const isOfShard = dirs.some((dir) => folder !== null && resolve(dir) === resolve(folder))
  if (isMerged && hasFiles && isOfShard) {
    throw new ConfigurationError([
      `--out: ${folder} has the measurements of a shard, which the merged report would replace: choose another folder`,
    ])
  }
  const begin = () => {
    if (folder !== null && hasFiles && isMerged) mergeRequests(dirs, folder)
  }
  render(report, loadKind, folder, { begin, isMerged })
  const { partial = missingOf([report]).partial } = report
  const isInterrupted = isMerged && report.interrupted
  const code = isMerged ? exitCodeOfMeasurement({ ...report, interrupted: false }) : exitCode.done
  if (partial === undefined && !isInterrupted) return code
  const lack = partial === undefined ? 'a shard was interrupted' : partialText(partial)
  io.err(`chatgen: ${lack}: the figures do not cover the whole load`)
  return code === exitCode.done ? exitCode.incomplete : code
}

const rejudgeExamples = `
Examples:
  $ chatgen rejudge chatgen-results
  $ chatgen rejudge last-month --out last-month-today --report console,html

Runs the scenarios of this version over the stored exchanges; nothing is sent. Requirements that need
a request that is not in the recording are inconclusive.

Exit codes:
  those of chatgen check; also 2 if the folder lacks run.json or
  exchanges.ndjson, or if one of them was edited after the run`

/** `chatgen rejudge DIR`: judges stored exchanges with this version of chatgen. */
export const rejudgeCommand = defineCommand({
  args: { '<dir>': 'results folder, with run.json and exchanges.ndjson' },
  flags: () => [
    ...flagTable(`
      --out <dir> @rejudge  folder of the new results (default: DIR/rejudged)`),
    ...gateFlags(),
    ...outputFlags(checkKind(), 'list everything, with all evidence', defaultsText),
  ],
  help: rejudgeExamples,
  async run({ flags, io }, dir: string) {
    const { quiet = false, out = join(dir, 'rejudged'), allowUndecided: globs } = flags
    refuseUnknown(globs)
    const formats = formatsIn(checkKind(), flags.report ?? checkFormats)
    const baseline = openBaseline(flags, io)
    const { recordedIn, rejudge } = await import('../../conformance/recording/rejudge.ts')
    const { inlineEngine } = await import('../../conformance/run.ts')
    recordedIn(dir, out)
    tellLost({ dir, ...readRecording(join(dir, exchangesName)) }, io)
    const doubt = evidenceDoubtIn(dir)
    for (const line of doubtLines([{ dir, doubt }])) io.err(line)
    makeOutFolder(out)
    takeResultsFolder(out, { kind: 'conformance-report', formats }, io)
    const progress = showProgress(io, !quiet)
    const { signal } = io
    const engine = inlineEngine()
    const onProgress = progress.update
    const found = await during(progress, () =>
      rejudge({ dir, outDir: out, signal, engine, onProgress }).finally(() => engine.close()),
    )
    const report = withDoubt(baseline.judge(allowUndecided(found, globs)), doubt)
    publish(report, { ...flags, out }, io)
    return doubt !== null ? exitCode.usage : exitCodeOf(report)
  },
})
