import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { withoutCommands } from '../../../reports/conformance/github.ts'
import { outcomeLine } from '../../../reports/document/terminal.ts'
import { makeFolder } from '../../conformance/recording/result-files.ts'
import type { FlagsOf, outputFlags } from '../flags.ts'
import { fitted, type Io } from '../terminal/io.ts'
import type { NamedFormat, RenderOptions, ReportKind } from './formats.ts'

/** Flags of a command that can print reports, with the folder of its results. */
export type PublishFlags = FlagsOf<typeof outputFlags> & { readonly out: string }

interface PublishReportOptions<Report, Evidence> extends PublishFlags {
  readonly formats: readonly NamedFormat<Report, Evidence>[]
  readonly evidence: Evidence
  /** Adds what is computed after the redaction. */
  readonly seal?: (report: Report) => Report
  /** The last lines on the screen; by default the path of the results. */
  readonly results?: string
}

/** Writes the reports that have a file, and prints the others; the JSON file is always written. */
export function publishReport<Report, Evidence>(
  found: Report,
  { file, toJson, toOutcome }: ReportKind<Report, Evidence>,
  options: PublishReportOptions<Report, Evidence>,
  io: Io,
): void {
  const { out, json, quiet, evidence, seal = (report) => report } = options
  const { color, verbose = false } = options
  const style = { color: io.color && color, width: io.width, verbose }
  const report = seal(withoutSecrets(found, io))
  const text = toJson(report)
  makeFolder(out)
  io.write(join(out, file), text)
  if (json) io.out(text.trimEnd())
  else if (quiet) io.out(outcomeLine(toOutcome(report, evidence), style))
  const formats = options.formats.filter(
    ({ name }) => name !== 'json' && !(name === 'console' && (json || quiet)),
  )
  // Standard output is for the program that asked for JSON.
  const print = json ? io.err : io.out
  renderReport(report, { formats, out, style, print, evidence }, io)
  if (!json && !quiet) io.out(fitted(options.results ?? `Results: ${out}`, io))
}

export interface Rendering<Report, Evidence> {
  readonly formats: readonly NamedFormat<Report, Evidence>[]
  /** Folder of formats with a file; null prints everything. */
  readonly out: string | null
  readonly style: RenderOptions
  readonly print: Io['out']
  readonly evidence: Evidence
}

/** Writes each format to its file in the folder, and prints those without a file. */
export function renderReport<Report, Evidence>(
  report: Report,
  { formats, out, style, print, evidence }: Rendering<Report, Evidence>,
  { write, env }: Pick<Io, 'write' | 'env'>,
): void {
  const isRead = formats.some(({ name }) => name === 'github')
  const reader = isRead ? { GITHUB_ACTIONS: 'true' } : env
  for (const { name, file, render } of formats) {
    const text = render(report, style, evidence)
    if (file !== null && out !== null) write(join(out, file), text)
    else
      print(name === 'console' ? withoutWorkflowCommands(text.trimEnd(), reader) : text.trimEnd())
  }
}

/** Redacts a report before its digest is computed: redaction afterwards would invalidate the digest. */
export function withoutSecrets<Report>(report: Report, io: Pick<Io, 'clean'>): Report {
  return JSON.parse(io.clean(JSON.stringify(report)))
}

/**
 * Console text without workflow commands: GitHub Actions interprets every line of output that looks like
 * one, and a target could have sent it.
 */
export function withoutWorkflowCommands(text: string, env: Io['env']): string {
  return env['GITHUB_ACTIONS'] === 'true' ? withoutCommands(text, randomUUID()) : text
}
