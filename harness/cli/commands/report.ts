import { basename, join, resolve } from 'node:path'
import { partialText } from '../../../reports/load/words.ts'
import { reportName } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { openBaseline } from '../check/baseline.ts'
import { render } from '../check/publish.ts'
import { formatNames, formatsIn, formatsOf } from '../check/report-formats.ts'
import type { AddCommand } from '../command.ts'
import { type ExitCode, exitCode } from '../exit-codes.ts'
import { flag, list } from '../flags.ts'
import { mergedLoad } from '../load/merged.ts'
import { renderLoad } from '../load/publish.ts'
import { loadFormatNames, loadFormats } from '../load/report-formats.ts'
import { makeOutFolder } from '../results/out-folder.ts'
import { resultsIn } from '../results/results-folder.ts'
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
  $ chatgen report chatgen-results --report markdown --out - >> "$GITHUB_STEP_SUMMARY"

Exit codes:
  0 rendered, whatever the verdicts
  2 usage, a file that is no report, or shards of different runs; also where what was rendered was
    edited after its run: the page says so
  5 rendered, but a load lacks some of its shards`

/** `chatgen report FILE|DIR...`: renders what was stored, in any format; shards of a load as one run. */
export const reportCommand: AddCommand = (program, io, finish) => {
  program
    .command('report')
    .description('render stored results in any format')
    .argument('<result...>', 'folders of results, or report.json files')
    .addOption(
      flag(
        '--report <formats>',
        `what to print and write: ${formatNames.join(', ')}; of a load ${loadFormatNames.join(', ')}`,
      )
        .argParser(list)
        .default([], 'console'),
    )
    .addOption(
      flag(
        '--out <dir>',
        'folder for what is written; - prints it (default: where the report is)',
        'report',
      ),
    )
    .addOption(
      flag(
        '--baseline <file>',
        'of conformance, the known violations in place of those of the run',
      ),
    )
    .addOption(flag('--no-color', 'no colours'))
    .addOption(flag('--verbose', 'of a load, also by transaction and as other tools define it'))
    .addHelpText('after', examples)
    .action((paths: readonly string[], flags: ReportFlags) => {
      const files = paths.map(openStored)
      for (const line of doubtLines(files)) io.err(line)
      const loads = files.filter(({ kind }) => kind === 'load-report')
      const edited = anyEdited(files) ? exitCode.usage : undefined
      if (loads.length === 0) {
        renderConformance(files.map(conformanceIn), flags, io)
        finish(edited ?? exitCode.done)
      } else if (loads.length === files.length) {
        const code = renderLoads(loads, flags, io)
        finish(edited ?? code)
      } else {
        throw new ConfigurationError([
          'some of these are reports of a load and some of conformance: render them by themselves',
        ])
      }
    })
}

function renderConformance(results: readonly StoredReport[], flags: ReportFlags, io: Io): void {
  const formats = formatsOf(wantedIn(flags))
  const baseline = openBaseline({ baseline: flags.baseline }, io)
  const folders = foldersFor(results, flags.out)
  const style = { color: io.color && flags.color, width: io.width }
  for (const [at, result] of results.entries()) {
    const lost = lostText(result)
    if (lost !== null) io.err(lost)
    const out = folders[at] ?? null
    refuseOtherRun(result.report, out, formats)
    if (out !== null) makeOutFolder(out)
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

/** Shards become one report, which needs a folder of its own: beside none of them would it be right. */
function renderLoads(files: readonly StoredFile[], flags: ReportFlags, io: Io): ExitCode {
  const formats = formatsIn(loadFormats, wantedIn(flags))
  const report = mergedLoad(files)
  const out = flags.out ?? (files.length === 1 ? (files[0]?.dir ?? null) : null)
  if (out === null && formats.some(({ file }) => file !== null)) {
    throw new ConfigurationError(['say with --out where the merged report goes; - prints it'])
  }
  const folder = out === '-' ? null : out
  refuseOtherRun(report, folder, formats)
  if (folder !== null) makeOutFolder(folder)
  const style = {
    color: io.color && flags.color,
    width: io.width,
    verbose: flags.verbose === true,
  }
  const { out: print, write, env } = io
  renderLoad(report, { formats, out: folder, style, print, write, env })
  tellWritten(formats, folder, io)
  if (report.partial === undefined) return exitCode.done
  io.err(`chatgen: ${partialText(report.partial)}: no figure is one of the whole load`)
  return exitCode.incomplete
}

/** Pages of one run beside the report of another would be taken for its own. */
function refuseOtherRun(
  { kind, startedAt }: { readonly kind: string; readonly startedAt: string },
  out: string | null,
  formats: readonly { readonly file: string | null }[],
): void {
  const there = out === null ? null : resultsIn(out)
  if (there === null || formats.every(({ file }) => file === null)) return
  const same = there.kind === kind && there.at.getTime() === Date.parse(startedAt)
  const replaced = there.kind === kind && formats.some(({ file }) => file === reportName)
  if (same || replaced) return
  throw new ConfigurationError([
    `${out} holds the results of another run: name a folder for these pages with --out, or print them with --out -`,
  ])
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

/** Of several results each has a folder of its own, named after the one that it came from. */
function foldersFor(results: readonly StoredReport[], out?: string): readonly (string | null)[] {
  if (out === '-') return results.map(() => null)
  if (out === undefined) return results.map(({ dir }) => dir)
  if (results.length === 1) return [out]
  const names = results.map(({ dir }) => basename(resolve(dir)))
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) {
    throw new ConfigurationError([
      `two results come from folders called ${twice}: render them one by one, each with its --out`,
    ])
  }
  return names.map((name) => join(out, name))
}
