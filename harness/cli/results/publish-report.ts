import { join } from 'node:path'
import type { Document, Outcome } from '../../../reports/document/document.ts'
import { toHtml } from '../../../reports/document/html.ts'
import { toMarkdown } from '../../../reports/document/markdown.ts'
import { outcomeLine, toTerminal } from '../../../reports/document/terminal.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import { fitted } from '../terminal/fitted.ts'
import type { Io } from '../terminal/io.ts'
import type { Named, RenderOptions } from './formats.ts'
import { withoutSecrets, withoutWorkflowCommands } from './safe-text.ts'

/** A form of a report that is made from the report alone. */
export interface PlainFormat<Report> {
  /** Name of the file in the results folder; null if the text is printed. */
  readonly file: string | null
  readonly render: (report: Report, style: RenderOptions) => string
}

/**
 * Formats of `--report` for reports that are documents, in the order in which they are listed, printed and written.
 */
export function documentFormats<Report>(
  name: string,
  toDocument: (report: Report) => Document,
  {
    toJson,
    toJUnit,
    more = {},
  }: {
    readonly toJson: (report: Report) => string
    readonly toJUnit: (report: Report) => string
    readonly more?: Readonly<Record<string, PlainFormat<Report>>>
  },
): Readonly<Record<string, PlainFormat<Report>>> {
  return {
    console: { file: null, render: (report, style) => toTerminal(toDocument(report), style) },
    json: { file: `${name}.json`, render: toJson },
    junit: { file: `${name}.xml`, render: toJUnit },
    html: { file: `${name}.html`, render: (report) => toHtml(toDocument(report)) },
    ...more,
    markdown: { file: `${name}.md`, render: (report) => toMarkdown(toDocument(report)) },
  }
}

/** Forms of one kind of report that are written or printed in any case. */
export interface ReportKind<Report> {
  /** Name of its JSON file. */
  readonly file: string
  readonly toJson: (report: Report) => string
  /** The outcome alone, for `--quiet`. */
  readonly toOutcome: (report: Report) => Outcome
  /** Adds what is computed once no secret is in the report. */
  readonly seal?: (report: Report) => Report
  /** The last lines on the screen; by default the path of the results. */
  readonly toResults?: () => string
}

export interface PublishReportOptions<Report> {
  readonly formats: readonly Named<PlainFormat<Report>>[]
  readonly out: string
  readonly style: RenderOptions
  /** Print only the JSON on standard output. */
  readonly json: boolean
  /** Print the outcome only. */
  readonly quiet: boolean
}

/** Writes the reports that have a file, and prints the others; the JSON file is always written. */
export function publishReport<Report>(
  found: Report,
  kind: ReportKind<Report>,
  options: PublishReportOptions<Report>,
  io: Io,
): void {
  const { file, toJson, toOutcome, seal = (report) => report } = kind
  const report = seal(withoutSecrets(found, io))
  const { out, style, json, quiet } = options
  const text = toJson(report)
  makeFolder(out)
  io.write(join(out, file), text)
  if (json) io.out(text.trimEnd())
  else if (quiet) io.out(outcomeLine(toOutcome(report), style))
  const formats = options.formats.filter(
    ({ name }) => name !== 'json' && !(name === 'console' && (json || quiet)),
  )
  // Standard output is for the program that asked for JSON.
  renderReport(report, { formats, out, style, print: json ? io.err : io.out }, io)
  if (!json && !quiet) io.out(fitted(kind.toResults?.() ?? `Results: ${out}`, io))
}

export interface Rendering<Report> {
  readonly formats: readonly Named<PlainFormat<Report>>[]
  /** Folder of formats with a file; null prints everything. */
  readonly out: string | null
  readonly style: RenderOptions
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
    else
      print(name === 'console' ? withoutWorkflowCommands(text.trimEnd(), reader) : text.trimEnd())
  }
}
