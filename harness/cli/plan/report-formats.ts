import { type PlanReport, planReport } from '../../../contract/report/plan.ts'
import { planToConsole } from '../../../reports/plan/console.ts'
import { planToJUnit } from '../../../reports/plan/junit.ts'
import { planToMarkdown } from '../../../reports/plan/markdown.ts'
import { planToHtml } from '../../../reports/plan/plan-to-html.ts'
import { printableJson } from '../../../reports/text/escape.ts'
import type { RenderOptions } from '../check/report-formats.ts'

export interface PlanFormat {
  /** Name of the file in the results folder; null if the text is printed. */
  readonly file: string | null
  readonly render: (report: PlanReport, style: RenderOptions) => string
}

/** Formats of `--report` for a plan, in the order in which they are listed, printed and written. */
export const planFormats: Readonly<Record<string, PlanFormat>> = {
  console: { file: null, render: planToConsole },
  json: { file: 'plan.json', render: planToJson },
  junit: { file: 'plan.xml', render: planToJUnit },
  html: { file: 'plan.html', render: planToHtml },
  markdown: { file: 'plan.md', render: planToMarkdown },
}

export const planFormatNames: readonly string[] = Object.keys(planFormats)

/** `plan.json`: members in the order of the model, two spaces, a final line feed. */
export function planToJson(report: PlanReport): string {
  return `${printableJson(JSON.stringify(planReport.parse(report), null, 2))}\n`
}
