import type { PlanReport } from '../../contract/report/plan.ts'
import { clean } from '../text/escape.ts'
import { escaped } from '../text/markdown.ts'
import {
  hourTable,
  planAnswer,
  planTable,
  planWord,
  reproducedTable,
  scalabilityLines,
  scalabilityTable,
  serviceLines,
  traceLine,
} from './answer.ts'

/** A plan for a document or a pull request: the answer, the replicas around it, the model. */
export function planToMarkdown(report: PlanReport): string {
  const parts = [
    `## ${report.outcome === 'found' ? '✅' : '⚠️'} ${planWord(report)}`,
    escaped(planAnswer(report)),
    section('Replicas', table(planTable(report))),
    section('Hours', table(hourTable(report))),
    section('Scalability', [
      ...scalabilityLines(report).map((line) => `${escaped(line)}  `),
      ...blockAfter(table(scalabilityTable(report))),
    ]),
    section(
      'Model',
      [...serviceLines(report), ...traceLine(report)].map((line) => `- ${escaped(line)}`),
    ),
    section('Measured and modelled', table(reproducedTable(report))),
    section(
      'Notes',
      report.notes.map((note) => `- ${escaped(clean(note))}`),
    ),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`### ${title}`, '', ...lines].join('\n')
}

function blockAfter(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', ...lines]
}

function table([heading = [], ...rows]: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return []
  const line = (cells: readonly string[]) =>
    `| ${cells.map((text) => escaped(clean(text))).join(' | ')} |`
  return [line(heading), `|${heading.map(() => ' --- |').join('')}`, ...rows.map(line)]
}
