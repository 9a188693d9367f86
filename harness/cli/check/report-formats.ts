import type { Exchange } from '../../../contract/index.ts'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { reportToBadge } from '../../../reports/conformance/badge.ts'
import { reportToConsole } from '../../../reports/conformance/console/console.ts'
import { reportToGitHub } from '../../../reports/conformance/github.ts'
import { reportToHtml } from '../../../reports/conformance/html/report-to-html.ts'
import { reportToJUnit } from '../../../reports/conformance/junit/junit.ts'
import { reportToMarkdown } from '../../../reports/conformance/markdown/markdown.ts'
import { reportToJson } from '../../../reports/text/digest.ts'
import { defaultFormats, formatsIn, type Named, type RenderOptions } from '../results/formats.ts'

export interface ReportFormat {
  /** Name of the file in the results folder; null if the text is printed. */
  readonly file: string | null
  readonly render: (
    report: ConformanceReport,
    exchanges: ReadonlyMap<string, Exchange>,
    options: RenderOptions,
  ) => string
}

export type NamedFormat = Named<ReportFormat>

/** Formats of `--report`, in the order in which they are listed, printed and written. */
export const reportFormats: Readonly<Record<string, ReportFormat>> = {
  console: { file: null, render: reportToConsole },
  github: { file: null, render: reportToGitHub },
  json: { file: 'report.json', render: reportToJson },
  junit: { file: 'report.xml', render: reportToJUnit },
  html: {
    file: 'report.html',
    render: (report, exchanges) => reportToHtml(report, exchanges),
  },
  markdown: { file: 'report.md', render: reportToMarkdown },
  badge: { file: 'badge.svg', render: reportToBadge },
}

/** Formats of a check; `html` only if the target does not conform. */
export const checkFormats: readonly string[] = [...defaultFormats, 'html']
export const defaultsText = 'console,json, and html if it does not conform'

export const formatNames: readonly string[] = Object.keys(reportFormats)

/** @throws ConfigurationError for an unknown name */
export function formatsOf(names: readonly string[]): readonly NamedFormat[] {
  return formatsIn(reportFormats, names)
}
