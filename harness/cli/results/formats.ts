import type { Document, Outcome } from '../../../reports/document/document.ts'
import { toGitHub } from '../../../reports/document/github.ts'
import { toHtml } from '../../../reports/document/html.ts'
import { toMarkdown } from '../../../reports/document/markdown.ts'
import { toTerminal } from '../../../reports/document/terminal.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { didYouMean } from '../../conformance/profile/document.ts'

/** Kinds of reports and their formats. */

export interface RenderOptions {
  readonly color: boolean
  /** Columns of the terminal. */
  readonly width: number
  /** Console: adds passed requirements (check), figures by transaction (load). */
  readonly verbose: boolean
}

/** One format of a report. `evidence`: data that a report refers to, such as exchanges. */
export interface Format<Report, Evidence> {
  /** Name of the file in the results folder; null if the text is printed. */
  readonly file: string | null
  readonly render: (report: Report, style: RenderOptions, evidence: Evidence) => string
}

export interface NamedFormat<Report, Evidence> extends Format<Report, Evidence> {
  readonly name: string
}

/** A kind of report: the formats that are always written or printed, and all formats of `--report`. */
export interface ReportKind<Report, Evidence = undefined> {
  /** Name of its JSON file. */
  readonly file: string
  readonly toJson: (report: Report) => string
  /** The outcome alone, for `--quiet`. */
  readonly toOutcome: (report: Report, evidence: Evidence) => Outcome
  /** Formats in the order in which they are listed, printed and written. */
  readonly formats: Readonly<Record<string, Format<Report, Evidence>>>
}

/** A kind of report whose content is a document. `name`: of its files, without their endings. */
export function reportKind<Report, Evidence = undefined>(
  name: string,
  {
    toDocument,
    toJson,
    toJUnit,
    more = {},
  }: {
    readonly toDocument: (report: Report, evidence: Evidence) => Document
    readonly toJson: (report: Report) => string
    readonly toJUnit?: (report: Report, evidence: Evidence) => string
    readonly more?: Readonly<Record<string, Format<Report, Evidence>>>
  },
): ReportKind<Report, Evidence> {
  const formatOf = (
    file: string | null,
    render: (document: Document, style: RenderOptions) => string,
  ): Format<Report, Evidence> => ({
    file,
    render: (report, style, evidence) => render(toDocument(report, evidence), style),
  })
  return {
    file: `${name}.json`,
    toJson,
    toOutcome: (report, evidence) => toDocument(report, evidence).outcome,
    formats: {
      console: formatOf(null, toTerminal),
      json: { file: `${name}.json`, render: toJson },
      ...(toJUnit && {
        junit: {
          file: `${name}.xml`,
          render: (report: Report, _: RenderOptions, evidence: Evidence) =>
            toJUnit(report, evidence),
        },
      }),
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
export function formatsIn<Report, Evidence>(
  { formats }: Pick<ReportKind<Report, Evidence>, 'formats'>,
  names: readonly string[],
): readonly NamedFormat<Report, Evidence>[] {
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
