import { basename, join, resolve } from 'node:path'
import type { Document, Outcome } from '../../../reports/document/document.ts'
import { toHtml } from '../../../reports/document/html.ts'
import { toGitHub, toMarkdown } from '../../../reports/document/markdown.ts'
import {
  outcomeLine,
  type TerminalOptions,
  toTerminal,
} from '../../../reports/document/terminal.ts'
import { reportName } from '../../conformance/defaults.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { didYouMean } from '../../conformance/profile/document.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import type { FlagsOf, outputFlags } from '../flags.ts'
import { escapeWorkflowCommands, fitted, type Io } from '../terminal/io.ts'
import { resultsIn } from './results-folder.ts'
import type { StoredFile } from './stored-report.ts'

/** Flags of a command that can print reports, with the folder of its results. */
export type PublishFlags = FlagsOf<typeof outputFlags> & { readonly out: string }

interface PublishReportOptions<Report> extends PublishFlags {
  readonly formats: readonly NamedFormat<Report>[]
  /** The last lines on the screen; by default the path of the results. */
  readonly results?: string
}

/**
 * Writes the reports that have a file, and prints the others; the JSON file is always written.
 * @throws ConfigurationError if a file cannot be written, after the others were printed
 */
export function publishReport<Report>(
  found: Report,
  { file, toJson, toOutcome }: ReportKind<Report>,
  options: PublishReportOptions<Report>,
  io: Io,
): void {
  const { out, json, quiet, color, verbose = false } = options
  const style = { color: io.color && color, width: io.width, verbose }
  const report = withoutSecrets(found, io)
  const text = toJson(report)
  let problem: ConfigurationError | null = null
  try {
    makeFolder(out)
    io.write(join(out, file), text)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    problem = error
  }
  if (json) io.out(text.trimEnd())
  else if (quiet) io.out(outcomeLine(toOutcome(report), style))
  const formats = options.formats.filter(
    (format) =>
      format.name !== 'json' &&
      !(format.name === 'console' && (json || quiet)) &&
      !(problem !== null && format.file !== null),
  )
  // Standard output is for the program that asked for JSON.
  const print = json ? io.reportOnErr : io.out
  renderReport(report, { formats, out, style, print }, io)
  if (problem !== null) throw problem
  if (!json && !quiet) io.out(fitted(options.results ?? `Results: ${out}`, io))
}

interface Rendering<Report> {
  readonly formats: readonly NamedFormat<Report>[]
  /** Folder of formats with a file; null prints everything. */
  readonly out: string | null
  readonly style: TerminalOptions
  readonly print: Io['out']
}

/** Writes each format to its file in the folder, and prints those without a file. */
export function renderReport<Report>(
  report: Report,
  { formats, out, style, print }: Rendering<Report>,
  { write, env }: Pick<Io, 'write' | 'env'>,
): void {
  const isRead = formats.some(({ name }) => name === 'github')
  const reader = isRead ? { GITHUB_ACTIONS: 'true' } : env
  for (const { name, file, render } of formats) {
    const text = render(report, style)
    if (file !== null && out !== null) write(join(out, file), text)
    else print(name === 'console' ? escapeWorkflowCommands(text.trimEnd(), reader) : text.trimEnd())
  }
}

/** Redacts a report before its digest is computed: redaction afterwards would invalidate the digest. */
export function withoutSecrets<Report>(report: Report, io: Pick<Io, 'clean'>): Report {
  return JSON.parse(io.clean(JSON.stringify(report)))
}

/**
 * Refuses to write files of one run next to the report of another, or in place of it.
 * @param isMerged the report is merged from shards, and may replace an earlier merge
 */
export function refuseOtherRun(
  { kind, startedAt }: { readonly kind: string; readonly startedAt: string },
  out: string | null,
  formats: Files,
  isMerged: boolean,
): void {
  const there = out === null ? null : resultsIn(out)
  if (there === null || !hasFile(formats)) return
  const same = there.kind === kind && there.at.getTime() === Date.parse(startedAt)
  const isWritten = formats.some(({ file }) => file === reportName)
  if (same || (isMerged && there.kind === kind && isWritten)) return
  throw new ConfigurationError([
    `${out} has the results of another run: choose another folder with --out, or print with --out -`,
  ])
}

/** Files of formats; null for those that are printed. */
type Files = readonly { readonly file: string | null }[]

export function hasFile(formats: Files): boolean {
  return formats.some(({ file }) => file !== null)
}

export function tellWritten(formats: Files, out: string | null, io: Io): void {
  for (const { file } of formats)
    if (file !== null && out !== null) io.out(`Wrote ${join(out, file)}`)
}

/** Output folders: with several results, each has its own, named after the folder it came from. */
export function foldersFor(
  results: readonly Pick<StoredFile, 'dir'>[],
  out?: string,
): readonly (string | null)[] {
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

interface Format<Report> {
  /** Name of the file in the results folder; null if the text is printed. */
  readonly file: string | null
  readonly render: (report: Report, style: TerminalOptions) => string
}

type NamedFormat<Report> = Format<Report> & { readonly name: string }

/** A kind of report: the formats that are always written or printed, and all formats of `--report`. */
export interface ReportKind<Report> {
  /** Name of its JSON file. */
  readonly file: string
  readonly toJson: (report: Report) => string
  /** The outcome alone, for `--quiet`. */
  readonly toOutcome: (report: Report) => Outcome
  /** Formats in the order in which they are listed, printed and written. */
  readonly formats: Readonly<Record<string, Format<Report>>>
}

/** A kind of report whose content is a document. `name`: of its files, without their endings. */
export function reportKind<Report>(
  name: string,
  {
    toDocument,
    toJson,
    toJUnit,
    more = {},
  }: Pick<ReportKind<Report>, 'toJson'> & {
    readonly toDocument: (report: Report) => Document
    readonly toJUnit?: (report: Report) => string
    readonly more?: ReportKind<Report>['formats']
  },
): ReportKind<Report> {
  const formatOf = (
    file: string | null,
    render: (document: Document, style: TerminalOptions) => string,
  ): Format<Report> => ({ file, render: (report, style) => render(toDocument(report), style) })
  return {
    file: `${name}.json`,
    toJson,
    toOutcome: (report) => toDocument(report).outcome,
    formats: {
      console: formatOf(null, toTerminal),
      json: { file: `${name}.json`, render: toJson },
      ...(toJUnit && { junit: { file: `${name}.xml`, render: toJUnit } }),
      html: formatOf(`${name}.html`, (document) => toHtml(document)),
      markdown: formatOf(`${name}.md`, toMarkdown),
      github: formatOf(null, toGitHub),
      ...more,
    },
  }
}

/** Formats without `--report`. */
export const defaultFormats: readonly string[] = ['console', 'json']

/**
 * Looks up formats by name: each once, in the order of the table.
 * @throws ConfigurationError for an unknown name
 */
export function formatsIn<Report>(
  { formats }: Pick<ReportKind<Report>, 'formats'>,
  names: readonly string[] = defaultFormats,
): readonly NamedFormat<Report>[] {
  const formatNames = Object.keys(formats)
  const problems = names
    .filter((name) => !formatNames.includes(name))
    .map((name) => {
      const hint = didYouMean(name, formatNames)
      return `unknown report format ${name}.${hint} Formats: ${formatNames.join(', ')}`
    })
  if (problems.length > 0) throw new ConfigurationError(problems)
  return Object.entries(formats)
    .filter(([name]) => names.includes(name))
    .map(([name, format]) => ({ name, ...format }))
}
