import { capacityDocument, capacityToJUnit } from '../../../reports/capacity/document.ts'
import type { CapacityReport } from '../../../reports/capacity/model/report.ts'
import { loadDocument } from '../../../reports/load/document.ts'
import { loadToJUnit } from '../../../reports/load/junit.ts'
import { loadToCsv, loadToPrometheus } from '../../../reports/load/metrics/prometheus.ts'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import { planDocument, planToJUnit } from '../../../reports/plan/document.ts'
import { type PlanReport, planReport } from '../../../reports/plan/model.ts'
import { reportToJson } from '../../../reports/text/digest.ts'
import { jsonText } from '../../../reports/text/escape.ts'
import { reportKind } from '../results/publish-report.ts'

export const loadKind = reportKind<LoadReport>('report', {
  toDocument: loadDocument,
  toJson: reportToJson,
  toJUnit: loadToJUnit,
  more: {
    csv: { file: 'report.csv', render: loadToCsv },
    prometheus: { file: 'report.prom', render: loadToPrometheus },
  },
})

export const capacityKind = reportKind<CapacityReport>('report', {
  toDocument: capacityDocument,
  toJson: reportToJson,
  toJUnit: capacityToJUnit,
})

export const planKind = reportKind<PlanReport>('plan', {
  toDocument: planDocument,
  toJson: (report) => jsonText(planReport.parse(report)),
  toJUnit: planToJUnit,
})
