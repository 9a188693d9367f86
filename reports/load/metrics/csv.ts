import type { LoadReport } from '../../../contract/report/load/report.ts'
import { doubtWord, isEdited } from '../../text/digest.ts'

/**
 * The series of a load run, one line per second (RFC 4180, line feeds): counts of what happened in that
 * second, requests in flight at its end, and quantiles in milliseconds; empty if there were none. A
 * report that was edited after its run has another column, `edited`. It has no text of a target, so
 * no formulas for a spreadsheet.
 */
export function loadToCsv(report: LoadReport): string {
  const { series } = report
  const mark = isEdited(report)
    ? { head: ['edited'], cell: [doubtWord(report)] }
    : { head: [], cell: [] }
  const lines = series.map((row) =>
    [
      ...counts.map((name) => row[name]),
      ...latencies.flatMap((name) => quantiles.map((q) => row[name]?.[q] ?? '')),
      ...mark.cell,
    ].join(','),
  )
  const header = [
    ...counts.map(
      (name) => ({ inFlight: 'in_flight', outputTokens: 'output_tokens' })[String(name)] ?? name,
    ),
    ...latencies.flatMap((name) => quantiles.map((q) => `${name}_${q}_ms`)),
    ...mark.head,
  ].join(',')
  return `${[header, ...lines].join('\n')}\n`
}

const counts = [
  'second',
  'planned',
  'dispatched',
  'completed',
  'shed',
  'failed',
  'inFlight',
  'events',
  'bytes',
  'outputTokens',
] as const

const latencies = ['ttft', 'e2e', 'icl'] as const
const quantiles = ['p50', 'p90', 'p99'] as const
