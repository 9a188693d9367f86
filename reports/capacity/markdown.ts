import type { CapacityReport } from '../../contract/report/capacity/report.ts'
import { doubtLine } from '../conformance/markdown/markdown.ts'
import { clean } from '../text/escape.ts'
import { code, escaped, folded, section, textTable } from '../text/markdown.ts'
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
    section('Throughput and latency by load, ms', textTable(frontierTable(report))),
    section(`Generator ${generator.verdict}`, items(generator.reasons)),
    section('Internal errors of chatgen', items(faults)),
    section('Notes', items(notes)),
    folded('Probes', textTable(probeTable(report))),
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

function items(texts: readonly string[]): readonly string[] {
  return texts.map((text) => `- ${escaped(clean(text))}`)
}
