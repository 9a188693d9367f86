import type { CapacityReport } from '../../contract/report/capacity.ts'
import { doubtLine } from '../conformance/markdown/markdown.ts'
import { clean } from '../text/escape.ts'
import { code, escaped } from '../text/markdown.ts'
import { answerText, capacityWord, detailLines } from './answer.ts'
import { frontierTable, probeTable } from './tables.ts'

/** A capacity report for a job summary or a pull request comment: the answer, the frontier, the probes. */
export function capacityToMarkdown(report: CapacityReport): string {
  const { target, config, seed, notes, faults, generator } = report
  const slos = config.slos.map((slo) => code(clean(slo))).join(', ')
  const parts = [
    `## ${mark(report)} ${capacityWord(report)}`,
    doubtLine(report),
    escaped(answerText(report)),
    [
      `${code(clean(target.baseUrl))}; ${slos === '' ? 'no SLO' : slos}; mix ${escaped(clean(config.mixName))}; seed ${escaped(clean(seed))}`,
      ...detailLines(report).map(escaped),
    ].join('  \n'),
    section('Throughput and latency by load, ms', table(frontierTable(report))),
    section(`Generator ${generator.verdict}`, items(generator.reasons)),
    section('Internal errors of chatgen', items(faults)),
    section('Notes', items(notes)),
    folded('Probes', table(probeTable(report))),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function mark({ outcome, interrupted }: CapacityReport): string {
  if (interrupted) return '⚠️'
  const marks: Partial<Record<CapacityReport['outcome'], string>> = {
    found: '✅',
    'above max': '✅',
    'below min': '❌',
    violated: '❌',
  }
  return marks[outcome] ?? '⚠️'
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`### ${title}`, '', ...lines].join('\n')
}

function folded(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return ''
  return ['<details>', `<summary>${title}</summary>`, '', ...lines, '', '</details>'].join('\n')
}

function items(texts: readonly string[]): readonly string[] {
  return texts.map((text) => `- ${escaped(clean(text))}`)
}

function table([heading = [], ...rows]: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return []
  const line = (cells: readonly string[]) =>
    `| ${cells.map((text) => escaped(clean(text))).join(' | ')} |`
  return [line(heading), `|${heading.map(() => ' --- |').join('')}`, ...rows.map(line)]
}
