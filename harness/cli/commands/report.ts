import { basename, join, resolve } from 'node:path'
import { partialText } from '../../../reports/load/outcome.ts'
import { reportName } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { renderCapacity } from '../capacity/publish.ts'
import { capacityFormatNames, capacityFormats } from '../capacity/report-formats.ts'
import { openBaseline } from '../check/baseline.ts'
import { render } from '../check/publish.ts'
import { formatNames, formatsIn, formatsOf, type RenderOptions } from '../check/report-formats.ts'
import type { AddCommand } from '../command.ts'
import { type ExitCode, exitCode } from '../exit-codes.ts'
import { colorFlag, flag, list } from '../flags.ts'
import { mergedLoad } from '../load/merged.ts'
import { renderLoad } from '../load/output/publish.ts'
import { loadFormatNames, loadFormats } from '../load/output/report-formats.ts'
import { makeOutFolder } from '../results/out-folder.ts'
import { resultsIn } from '../results/results-folder.ts'
import {
  anyEdited,
  capacityIn,
  conformanceIn,
  doubtLines,
  lostText,
  openStored,
  type StoredFile,
  type StoredReport,
} from '../results/stored-report.ts'
import type { Io } from '../terminal/io.ts'

interface ReportFlags {
  readonly report: readonly string[]
  readonly out?: string
  readonly baseline?: string
  readonly color: boolean
  readonly verbose?: boolean
}

const examples = `
Examples:
  $ chatgen report chatgen-results
  $ chatgen report chatgen-results --report html,junit
  $ chatgen report monday tuesday --report html --out pages
  $ chatgen report chatgen-results --baseline known.yaml --report markdown --out judged
  $ chatgen report shard-0 shard-1 shard-2 --report json,html --out whole
  $ chatgen report capacity-1 --report junit,markdown
  $ chatgen report chatgen-results --report markdown --out - >> "$GITHUB_STEP_SUMMARY"

Exit codes:
  0 rendered, whatever the verdicts
  2 usage, not a report, shards of different runs, or results that were edited after their run (they
    are rendered with a warning)
  5 rendered, but shards of the load run are missing`

/** `chatgen report FILE|DIR...`: renders stored results in any format; merges shards of a load run. */
export const reportCommand: AddCommand = (program, io, finish) => {
  program
    .command('report')
    .description('render stored results in any format; merge the shards of a load run')
    .argument('<result...>', 'results folders, or report.json files')
    .addOption(
      flag(
        '--report <formats>',
        `formats of a check: ${formatNames.join(', ')}; of a load run: ${loadFormatNames.join(', ')}; of a capacity search: ${capacityFormatNames.join(', ')}`,
      )
        .argParser(list)
        .default([], 'console'),
    )
    .addOption(
      flag(
        '--out <dir>',
        'output folder; - for standard output (default: the folder of the report)',
        'report',
      ),
    )
    .addOption(
      flag('--baseline <file>', 'known violations of a check, in place of those of the run'),
    )
    .addOption(colorFlag())
    .addOption(
      flag(
        '--verbose',
        'also list passed requirements; for a load, latencies by transaction and as other tools define them',
      ),
    )
    .addHelpText('after', examples)
    .action((paths: readonly string[], flags: ReportFlags) => {
      const files = paths.map(openStored)
      for (const line of doubtLines(files)) io.err(line)
      const loads = files.filter(({ kind }) => kind === 'load-report')
      const edited = anyEdited(files) ? exitCode.usage : undefined
      const [first, second] = files
      if (first?.kind === 'capacity-report') {
        if (second !== undefined)
          throw new ConfigurationError(['render capacity reports one by one'])
        renderCapacityOf(first, flags, io)
        finish(edited ?? exitCode.done)
      } else if (loads.length === 0) {
        renderConformance(files.map(conformanceIn), flags, io)
        finish(edited ?? exitCode.done)
      } else if (loads.length === files.length) {
        const code = renderLoads(loads, flags, io)
        finish(edited ?? code)
      } else {
        throw new ConfigurationError([
          'load reports and conformance reports are mixed: render them separately',
        ])
      }
    })
}

function renderConformance(results: readonly StoredReport[], flags: ReportFlags, io: Io): void {
  const formats = formatsOf(wantedIn(flags))
  const baseline = openBaseline({ baseline: flags.baseline }, io)
  const folders = foldersFor(results, flags.out)
  const style = styleOf(flags, io)
  for (const [at, result] of results.entries()) {
    const lost = lostText(result)
    if (lost !== null) io.err(lost)
    const out = folders[at] ?? null
    refuseOtherRun(result.report, out, formats)
    if (out !== null && hasFile(formats)) makeOutFolder(out)
    if (results.length > 1) io.out(`${result.file}:`)
    render(baseline.judge(result.report), result.exchanges, {
      formats,
      out,
      style,
      print: io.out,
      write: io.write,
      env: io.env,
    })
    tellWritten(formats, out, io)
  }
}

function renderCapacityOf(file: StoredFile, flags: ReportFlags, io: Io): void {
  const formats = formatsIn(capacityFormats, wantedIn(flags))
  const out = flags.out === '-' ? null : (flags.out ?? file.dir)
  const report = capacityIn(file)
  refuseOtherRun(report, out, formats)
  if (out !== null && hasFile(formats)) makeOutFolder(out)
  renderCapacity(report, { formats, out, style: styleOf(flags, io), print: io.out }, io)
  tellWritten(formats, out, io)
}

/** Merges shards into one report, which needs its own folder. */
function renderLoads(files: readonly StoredFile[], flags: ReportFlags, io: Io): ExitCode {
  const formats = formatsIn(loadFormats, wantedIn(flags))
  const report = mergedLoad(files)
  const out = flags.out ?? (files.length === 1 ? (files[0]?.dir ?? null) : null)
  if (out === null && hasFile(formats)) {
    throw new ConfigurationError([
      'no output folder for the merged report: pass --out DIR, or --out - for standard output',
    ])
  }
  const folder = out === '-' ? null : out
  refuseOtherRun(report, folder, formats)
  if (folder !== null && hasFile(formats)) makeOutFolder(folder)
  const style = styleOf(flags, io)
  const { out: print, write, env } = io
  renderLoad(report, { formats, out: folder, style, print, write, env })
  tellWritten(formats, folder, io)
  if (report.partial === undefined) return exitCode.done
  io.err(`chatgen: ${partialText(report.partial)}: the figures do not cover the whole load`)
  return exitCode.incomplete
}

/** Refuses to write pages of one run beside the report of another. */
function refuseOtherRun(
  { kind, startedAt }: { readonly kind: string; readonly startedAt: string },
  out: string | null,
  formats: readonly { readonly file: string | null }[],
): void {
  const there = out === null ? null : resultsIn(out)
  if (there === null || !hasFile(formats)) return
  const same = there.kind === kind && there.at.getTime() === Date.parse(startedAt)
  const replaced = there.kind === kind && formats.some(({ file }) => file === reportName)
  if (same || replaced) return
  throw new ConfigurationError([
    `${out} has the results of another run: choose another folder with --out, or print with --out -`,
  ])
}

function styleOf({ color, verbose = false }: ReportFlags, io: Io): RenderOptions {
  return { color: io.color && color, width: io.width, verbose }
}

function hasFile(formats: readonly { readonly file: string | null }[]): boolean {
  return formats.some(({ file }) => file !== null)
}

function wantedIn({ report }: ReportFlags): readonly string[] {
  return report.length === 0 ? ['console'] : report
}

function tellWritten(
  formats: readonly { readonly file: string | null }[],
  out: string | null,
  io: Io,
): void {
  for (const { file } of formats)
    if (file !== null && out !== null) io.out(`Wrote ${join(out, file)}`)
}

/** Output folders: with several results, each has its own, named after the folder it came from. */
function foldersFor(results: readonly StoredReport[], out?: string): readonly (string | null)[] {
  if (out === '-') return results.map(() => null)
  if (out === undefined) return results.map(({ dir }) => dir)
  if (results.length === 1) return [out]
  const names = results.map(({ dir }) => basename(resolve(dir)))
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) {
    throw new ConfigurationError([
      `two results are in folders named ${twice}: render them separately, each with its own --out`,
    ])
  }
  return names.map((name) => join(out, name))
}
