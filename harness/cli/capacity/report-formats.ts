import type { CapacityReport } from '../../../contract/report/capacity/report.ts'
import { capacityOutcome, capacityToConsole } from '../../../reports/capacity/console.ts'
import { capacityToHtml } from '../../../reports/capacity/html/capacity-to-html.ts'
import { capacityToJUnit } from '../../../reports/capacity/junit.ts'
import { capacityToMarkdown } from '../../../reports/capacity/markdown.ts'
import { capacityToJson } from '../../../reports/text/digest.ts'
import { defaultFormats } from '../results/formats.ts'
import type { PlainFormat, ReportKind } from '../results/publish-report.ts'

/** Formats of `--report` for a capacity search, in the order in which they are listed and written. */
export const capacityFormats: Readonly<Record<string, PlainFormat<CapacityReport>>> = {
  console: { file: null, render: capacityToConsole },
  json: { file: 'report.json', render: capacityToJson },
  junit: { file: 'report.xml', render: capacityToJUnit },
  html: { file: 'report.html', render: capacityToHtml },
  markdown: { file: 'report.md', render: capacityToMarkdown },
}

/** Forms of every capacity search. */
export const capacityKind: ReportKind<CapacityReport> = {
  file: 'report.json',
  toJson: capacityToJson,
  toOutcome: capacityOutcome,
}

export const capacityFormatNames: readonly string[] = Object.keys(capacityFormats)

/** Formats without `--report`. */
export const defaultCapacityFormats: readonly string[] = defaultFormats.filter((name) =>
  Object.hasOwn(capacityFormats, name),
)
