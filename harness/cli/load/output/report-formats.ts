import type { LoadReport } from '../../../../contract/report/load/report.ts'
import { loadDocument, loadOutcome } from '../../../../reports/load/document.ts'
import { loadToJUnit } from '../../../../reports/load/junit.ts'
import { loadToCsv } from '../../../../reports/load/metrics/csv.ts'
import { loadToPrometheus } from '../../../../reports/load/metrics/prometheus.ts'
import { loadToJson } from '../../../../reports/text/digest.ts'
import { documentFormats, type ReportKind } from '../../results/publish-report.ts'

export const loadFormats = documentFormats('report', loadDocument, {
  toJson: loadToJson,
  toJUnit: loadToJUnit,
  more: {
    csv: { file: 'report.csv', render: loadToCsv },
    prometheus: { file: 'report.prom', render: loadToPrometheus },
  },
})

/** Forms of every load run. */
export const loadKind: ReportKind<LoadReport> = {
  file: 'report.json',
  toJson: loadToJson,
  toOutcome: loadOutcome,
}

export const loadFormatNames: readonly string[] = Object.keys(loadFormats)
