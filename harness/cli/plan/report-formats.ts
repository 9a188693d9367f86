import { type PlanReport, planReport } from '../../../contract/report/plan.ts'
import { planDocument, planToJUnit } from '../../../reports/plan/document.ts'
import { printableJson } from '../../../reports/text/escape.ts'
import { reportKind } from '../results/formats.ts'

export const planKind = reportKind<PlanReport>('plan', {
  toDocument: planDocument,
  toJson: planToJson,
  toJUnit: planToJUnit,
})

/** `plan.json`: fields in the order of the model, two spaces, a final line feed. */
function planToJson(report: PlanReport): string {
  return `${printableJson(JSON.stringify(planReport.parse(report), null, 2))}\n`
}
