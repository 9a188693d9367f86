import { Chalk, type ChalkInstance } from 'chalk'
import type { PlanReport } from '../../contract/report/plan.ts'
import { fittedColumns } from '../text/columns.ts'
import { printable } from '../text/escape.ts'
import { hanging, list, type Page } from '../text/page.ts'
import {
  hourTable,
  modelLines,
  planAnswer,
  planTable,
  planWord,
  reproducedTable,
  scalabilityLines,
  scalabilityTable,
  traceLine,
} from './answer.ts'

export interface PlanConsoleOptions {
  readonly color: boolean
  readonly width: number
  /** True to show what the service model reproduces of the measurement as well. */
  readonly verbose: boolean
}

/** A plan for a terminal: the answer, the replicas around it, the model that it follows from. */
export function planToConsole(report: PlanReport, options: PlanConsoleOptions): string {
  const chalk = new Chalk({ level: options.color ? 1 : 0 })
  const page: Page = { ...options, chalk }
  const parts = [
    outcomeLines(page, report),
    titled(page, 'Replicas', planTable(report), [
      'e2e p50/p95, ms',
      'ttft p50/p95, ms',
      'utilization',
    ]),
    titled(page, 'Hours', hourTable(report), []),
    [...titled(page, 'Scalability', scalabilityTable(report), []), ...scalabilityLines(report)],
    [...modelLines(report), ...traceLine(report)].flatMap((line) => wrapped(page, line)),
    options.verbose ? titled(page, 'Measured and modelled', reproducedTable(report), []) : [],
    list(page, 'Notes', report.notes),
  ]
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

/** The outcome alone, in one line. */
export function planOutcome(
  report: PlanReport,
  { color }: Pick<PlanConsoleOptions, 'color'>,
): string {
  return `${paintedWord(report, new Chalk({ level: color ? 1 : 0 }))}  ${planAnswer(report)}`
}

function outcomeLines(page: Page, report: PlanReport): readonly string[] {
  const lead = `${paintedWord(report, page.chalk)}  `
  return hanging(page, lead, planAnswer(report), planWord(report).length + 2)
}

function paintedWord(report: PlanReport, chalk: ChalkInstance): string {
  const paint = report.outcome === 'found' ? chalk.green.bold : chalk.yellow.bold
  return paint(planWord(report).toUpperCase())
}

function wrapped(page: Page, line: string): readonly string[] {
  const [name = '', ...rest] = line.split('  ')
  return hanging(page, `${name}  `, rest.join('  '), name.length + 2)
}

function titled(
  { chalk, width }: Page,
  title: string,
  rows: readonly (readonly string[])[],
  spare: readonly string[],
): readonly string[] {
  if (rows.length <= 1) return []
  const printed = rows.map((row) => row.map(printable))
  const { lines } = fittedColumns(printed, { names: 2, width: width - 2, spare })
  return [chalk.bold(title), ...lines.map((line) => `  ${line}`)]
}
