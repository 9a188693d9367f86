import { type PlanReport, planReport } from '../../../contract/report/plan.ts'
import { planDocument, planOutcome } from '../../../reports/plan/document.ts'
import { planToJUnit } from '../../../reports/plan/junit.ts'
import { printableJson } from '../../../reports/text/escape.ts'
import { documentFormats, type ReportKind } from '../results/publish-report.ts'

export const planFormats = documentFormats('plan', planDocument, {
  toJson: planToJson,
  toJUnit: planToJUnit,
})

/** Forms of every plan. */
export const planKind: ReportKind<PlanReport> = {
  file: 'plan.json',
  toJson: planToJson,
  toOutcome: planOutcome,
}

export const planFormatNames: readonly string[] = Object.keys(planFormats)

/** `plan.json`: members in the order of the model, two spaces, a final line feed. */
function planToJson(report: PlanReport): string {
  return `${printableJson(JSON.stringify(planReport.parse(report), null, 2))}\n`
}
