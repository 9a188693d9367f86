import type { LoadReport } from '../../../../contract/report/load/report.ts'
import { loadDocument } from '../../../../reports/load/document.ts'
import { loadToJUnit } from '../../../../reports/load/junit.ts'
import { loadToCsv } from '../../../../reports/load/metrics/csv.ts'
import { loadToPrometheus } from '../../../../reports/load/metrics/prometheus.ts'
import { loadToJson } from '../../../../reports/text/digest.ts'
import { reportKind } from '../../results/formats.ts'

export const loadKind = reportKind<LoadReport>('report', {
  toDocument: loadDocument,
  toJson: loadToJson,
  toJUnit: loadToJUnit,
  more: {
    csv: { file: 'report.csv', render: loadToCsv },
    prometheus: { file: 'report.prom', render: loadToPrometheus },
  },
})
