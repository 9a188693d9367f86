import { type PlanReport, planReport } from '../../../contract/report/plan.ts'
import { planOutcome, planToConsole } from '../../../reports/plan/console.ts'
import { planToJUnit } from '../../../reports/plan/junit.ts'
import { planToMarkdown } from '../../../reports/plan/markdown.ts'
import { planToHtml } from '../../../reports/plan/plan-to-html.ts'
import { printableJson } from '../../../reports/text/escape.ts'
import type { PlainFormat, ReportKind } from '../results/publish-report.ts'

/** Formats of `--report` for a plan, in the order in which they are listed, printed and written. */
export const planFormats: Readonly<Record<string, PlainFormat<PlanReport>>> = {
  console: { file: null, render: planToConsole },
  json: { file: 'plan.json', render: planToJson },
  junit: { file: 'plan.xml', render: planToJUnit },
  html: { file: 'plan.html', render: planToHtml },
  markdown: { file: 'plan.md', render: planToMarkdown },
}

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
