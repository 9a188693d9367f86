import type { LoadReport } from '../../../../contract/report/load/report.ts'
import { loadOutcome, loadToConsole } from '../../../../reports/load/console/console.ts'
import { loadToHtml } from '../../../../reports/load/html/load-to-html.ts'
import { loadToJUnit } from '../../../../reports/load/junit.ts'
import { loadToMarkdown } from '../../../../reports/load/markdown.ts'
import { loadToCsv } from '../../../../reports/load/metrics/csv.ts'
import { loadToPrometheus } from '../../../../reports/load/metrics/prometheus.ts'
import { loadToJson } from '../../../../reports/text/digest.ts'
import type { PlainFormat, ReportKind } from '../../results/publish-report.ts'

/** Formats of `--report` for a load run, in the order in which they are listed, printed and written. */
export const loadFormats: Readonly<Record<string, PlainFormat<LoadReport>>> = {
  console: { file: null, render: loadToConsole },
  json: { file: 'report.json', render: loadToJson },
  junit: { file: 'report.xml', render: loadToJUnit },
  html: { file: 'report.html', render: loadToHtml },
  csv: { file: 'report.csv', render: loadToCsv },
  prometheus: { file: 'report.prom', render: loadToPrometheus },
  markdown: { file: 'report.md', render: loadToMarkdown },
}

/** Forms of every load run. */
export const loadKind: ReportKind<LoadReport> = {
  file: 'report.json',
  toJson: loadToJson,
  toOutcome: loadOutcome,
}

export const loadFormatNames: readonly string[] = Object.keys(loadFormats)
