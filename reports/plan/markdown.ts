import type { PlanReport } from '../../contract/report/plan.ts'
import { clean } from '../text/escape.ts'
import { escaped, section, textTable } from '../text/markdown.ts'
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

/** A plan for a document or a pull request: the answer, the replicas around it, the model. */
export function planToMarkdown(report: PlanReport): string {
  const parts = [
    `## ${report.outcome === 'found' ? '✅' : '⚠️'} ${planWord(report)}`,
    escaped(planAnswer(report)),
    section('Replicas', textTable(planTable(report))),
    section('Hours', textTable(hourTable(report))),
    section('Scalability', [
      ...scalabilityLines(report).map((line) => `${escaped(line)}  `),
      ...blockAfter(textTable(scalabilityTable(report))),
    ]),
    section(
      'Model',
      [...modelLines(report), ...traceLine(report)].map((line) => `- ${escaped(line)}`),
    ),
    section('Measured and modelled', textTable(reproducedTable(report))),
    section(
      'Notes',
      report.notes.map((note) => `- ${escaped(clean(note))}`),
    ),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function blockAfter(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', ...lines]
}
