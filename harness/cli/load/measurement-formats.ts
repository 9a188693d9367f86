import { capacityDocument } from '../../../reports/capacity/document.ts'
import type { CapacityReport } from '../../../reports/capacity/model/report.ts'
import { toJUnit } from '../../../reports/document/junit.ts'
import { loadDocument } from '../../../reports/load/document.ts'
import { loadToCsv, loadToPrometheus } from '../../../reports/load/metrics/prometheus.ts'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import { planDocument } from '../../../reports/plan/document.ts'
import { type PlanReport, planReport } from '../../../reports/plan/model.ts'
import { reportToJson } from '../../../reports/text/digest.ts'
import { jsonText } from '../../../reports/text/escape.ts'
import { reportKind } from '../results/publish-report.ts'

export const loadKind = reportKind<LoadReport>('report', {
  toDocument: loadDocument,
  toJson: reportToJson,
  toJUnit: (report) => toJUnit(loadDocument(report), report, report.integrity.held),
  more: {
    csv: { file: 'report.csv', render: loadToCsv },
    prometheus: { file: 'report.prom', render: loadToPrometheus },
  },
})

export const capacityKind = reportKind<CapacityReport>('report', {
  toDocument: capacityDocument,
  toJson: reportToJson,
  toJUnit: (report) => toJUnit(capacityDocument(report), report),
})

export const planKind = reportKind<PlanReport>('plan', {
  toDocument: planDocument,
  toJson: (report) => jsonText(planReport.parse(report)),
  toJUnit: (report) =>
    toJUnit(planDocument(report), {
      outcome: report.outcome,
      target: { baseUrl: report.measured[0]?.baseUrl ?? '' },
      startedAt: report.createdAt,
      durationMs: 0,
    }),
})
