import type { CapacityReport } from '../../../contract/report/capacity/report.ts'
import type { LoadReport } from '../../../contract/report/load/report.ts'
import { type PlanReport, planReport } from '../../../contract/report/plan.ts'
import { capacityDocument } from '../../../reports/capacity/document.ts'
import { capacityToJUnit } from '../../../reports/capacity/junit.ts'
import { loadDocument } from '../../../reports/load/document.ts'
import { loadToJUnit } from '../../../reports/load/junit.ts'
import { loadToCsv } from '../../../reports/load/metrics/csv.ts'
import { loadToPrometheus } from '../../../reports/load/metrics/prometheus.ts'
import { planDocument, planToJUnit } from '../../../reports/plan/document.ts'
import { capacityToJson, loadToJson } from '../../../reports/text/digest.ts'
import { printableJson } from '../../../reports/text/escape.ts'
import { reportKind } from '../results/formats.ts'

export const loadKind = reportKind<LoadReport>('report', {
  toDocument: loadDocument,
  toJson: loadToJson,
  toJUnit: loadToJUnit,
  more: {
    csv: { file: 'report.csv', render: loadToCsv },
    prometheus: { file: 'report.prom', render: loadToPrometheus },
  },
})

export const capacityKind = reportKind<CapacityReport>('report', {
  toDocument: capacityDocument,
  toJson: capacityToJson,
  toJUnit: capacityToJUnit,
})

export const planKind = reportKind<PlanReport>('plan', {
  toDocument: planDocument,
  toJson: planToJson,
  toJUnit: planToJUnit,
})

/** `plan.json`: fields in the order of the model, two spaces, a final line feed. */
function planToJson(report: PlanReport): string {
  return `${printableJson(JSON.stringify(planReport.parse(report), null, 2))}\n`
}
