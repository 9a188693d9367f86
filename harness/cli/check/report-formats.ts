import type { Exchange } from '../../../contract/index.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { reportToBadge } from '../../../reports/conformance/badge.ts'
import { reportToConsole } from '../../../reports/conformance/console/console.ts'
import { reportToGitHub } from '../../../reports/conformance/github.ts'
import { provingFaults } from '../../../reports/conformance/html/proving-faults.ts'
import { reportToHtml } from '../../../reports/conformance/html/report-to-html.ts'
import { reportToJUnit } from '../../../reports/conformance/junit/junit.ts'
import { reportToMarkdown } from '../../../reports/conformance/markdown/markdown.ts'
import { reportToJson } from '../../../reports/text/digest.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { didYouMean } from '../../conformance/profile/document.ts'

export interface RenderOptions {
  readonly color: boolean
  /** Columns of the terminal. */
  readonly width: number
  /** Console: also what passed (check), also by transaction (load). */
  readonly verbose: boolean
}

export interface ReportFormat {
  /** Name of the file in the results folder; null if the text is printed. */
  readonly file: string | null
  readonly render: (
    report: ConformanceReport,
    exchanges: ReadonlyMap<string, Exchange>,
    options: RenderOptions,
  ) => string
}

export type Named<Format> = Format & { readonly name: string }
export type NamedFormat = Named<ReportFormat>

/** Formats of `--report`, in the order in which they are listed, printed and written. */
export const reportFormats: Readonly<Record<string, ReportFormat>> = {
  console: { file: null, render: reportToConsole },
  github: { file: null, render: reportToGitHub },
  json: { file: 'report.json', render: reportToJson },
  junit: { file: 'report.xml', render: reportToJUnit },
  html: {
    file: 'report.html',
    render: (report, exchanges) => reportToHtml(report, exchanges, { faults: provingFaults() }),
  },
  markdown: { file: 'report.md', render: reportToMarkdown },
  badge: { file: 'badge.svg', render: reportToBadge },
}

/** Formats without `--report`. */
export const defaultFormats: readonly string[] = ['console', 'json']

/** Those of a check; `html` only if the target does not conform. */
export const checkFormats: readonly string[] = [...defaultFormats, 'html']
export const defaultsText = 'console,json, and html if it does not conform'

export const formatNames: readonly string[] = Object.keys(reportFormats)

/**
 * Looks up formats by name: each once, in the order of the table.
 * @throws ConfigurationError for an unknown name
 */
export function formatsOf(names: readonly string[]): readonly NamedFormat[] {
  return formatsIn(reportFormats, names)
}

/** Looks up formats in any table, as `formatsOf` does. */
export function formatsIn<Format>(
  table: Readonly<Record<string, Format>>,
  names: readonly string[],
): readonly Named<Format>[] {
  const formatNames = Object.keys(table)
  const problems = names
    .filter((name) => !formatNames.includes(name))
    .map((name) => {
      const hint = didYouMean(name, formatNames)
      return `unknown report format ${name}.${hint} Formats: ${formatNames.join(', ')}`
    })
  if (problems.length > 0) throw new ConfigurationError(problems)
  return Object.entries(table)
    .filter(([name]) => names.includes(name))
    .map(([name, format]) => ({ name, ...format }))
}
