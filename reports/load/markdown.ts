import type { LoadReport } from '../../contract/report/load/report.ts'
import { doubtLine } from '../conformance/markdown/markdown.ts'
import { clean } from '../text/escape.ts'
import { figure, interval, percent, seconds } from '../text/format.ts'
import { cell, code, escaped, folded, section, table } from '../text/markdown.ts'
import {
  clocked,
  endpointHead,
  endpointTableRows,
  type QuantileRow,
  quantileName,
  rateRows,
  turnRows,
} from './measures.ts'
import { outcomeText, outcomeWord, targetText } from './outcome.ts'
import { planText, windowText } from './plan.ts'
import { connectionText, deliveryText, disturbanceText, lumpText } from './traffic.ts'

/**
 * A load report for a job summary or a pull request comment: the outcome and the SLOs first, then the
 * measurements, with details folded.
 */
export function loadToMarkdown(report: LoadReport): string {
  const parts = [
    heading(report),
    doubtLine(report),
    escaped(outcomeText(report)),
    about(report),
    section('SLO', sloTable(report)),
    section('Violated', findings(report)),
    section('Rates', rates(report)),
    section('Endpoints', endpoints(report)),
    section('Latency, ms', latencies(report)),
    section('Connections and delivery', delivery(report)),
    section('Failed requests', errors(report)),
    section('Generator', generator(report)),
    section(
      'Internal errors of chatgen',
      report.faults.map((text) => `- ${code(clean(text))}`),
    ),
    section(
      'Notes',
      report.notes.map((text) => `- ${escaped(clean(text))}`),
    ),
    folded('Latency of growing chats by turn', byTurn(report)),
    folded('Audits', audits(report)),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

const marks: Readonly<Record<LoadReport['outcome'], string>> = {
  met: '✅',
  missed: '❌',
  violated: '❌',
  undecided: '⚠️',
  invalid: '⚠️',
}

function heading(report: LoadReport): string {
  return `## ${marks[report.outcome]} ${outcomeWord(report)}${report.interrupted ? ' (interrupted: partial results)' : ''}`
}

function about(report: LoadReport): string {
  return [
    `${code(clean(targetText(report)))}; ${escaped(clean(planText(report)))}`,
    `Measured: ${escaped(windowText(report))}`,
  ].join('  \n')
}

function sloTable({ slo }: LoadReport): readonly string[] {
  return table(
    ['', 'SLO', 'observed, 95 % interval', ''],
    slo.map(({ expression, verdict, observed, low, high, unit, message }) => [
      { met: '✅ met', missed: '❌ missed', undecided: '⚠️ undecided' }[verdict],
      cell(clean(expression)),
      escaped(`${interval(observed, low, high)} ${unit}`),
      escaped(message),
    ]),
  )
}

function findings({ integrity }: LoadReport): readonly string[] {
  return integrity.findings.map(({ id, level, title, broken, of, rate, first }) => {
    const event = first.event === null ? '' : `, event ${first.event}`
    const where = `request ${first.index}.${first.step} at ${seconds(first.atMs)}, ${clean(first.operation)}${event}, X-Request-Id `
    return `- **${id}** (${level}) ${broken} of ${of}, ${percent(rate)}: ${escaped(clean(title))}  \n  Found: ${code(clean(first.why))}; ${escaped(where)}${code(clean(first.requestId))}`
  })
}

function rates(report: LoadReport): readonly string[] {
  return table(
    ['', 'count', 'per second'],
    rateRows(report).map(([name, count, perSecond]) => [name, String(count), figure(perSecond)]),
    1,
  )
}

function endpoints(report: LoadReport): readonly string[] {
  return table(
    ['', 'URL', ...endpointHead],
    endpointTableRows(report).map(({ name, baseUrl, figures }) => [
      name,
      cell(clean(baseUrl)),
      ...figures,
    ]),
    2,
  )
}

function latencies({ metrics }: LoadReport): readonly string[] {
  return quantileTable('metric', clocked(metrics))
}

function delivery(report: LoadReport): readonly string[] {
  const text = deliveryText(report)
  return [
    ...(text === undefined ? [] : [`- ${escaped(text)}`]),
    ...lumpText(report).map((line) => `- ⚠️ ${escaped(line)}`),
    `- ${escaped(connectionText(report))}`,
  ]
}

function byTurn({ turns }: LoadReport): readonly string[] {
  const rows = turnRows(turns).map((row) => ({ ...row, name: `${row.metric}, ${row.turn}` }))
  return quantileTable('metric, turn', rows)
}

function quantileTable(what: string, rows: readonly QuantileRow[]): readonly string[] {
  const names = rows[0]?.distribution.quantiles.map(quantileName) ?? []
  return table(
    [what, 'clock', 'n', 'mean', ...names, 'max'],
    rows.map(({ name, clock, distribution }) => [
      name.replace('_', '\\_'),
      clock,
      String(distribution.count),
      figure(distribution.mean),
      ...distribution.quantiles.map(({ value, low, high }) => escaped(interval(value, low, high))),
      figure(distribution.max),
    ]),
    2,
  )
}

function errors({ errors, disturbances }: LoadReport): readonly string[] {
  if (errors.length === 0) return []
  const counts = ['', escaped(disturbanceText(disturbances))]
  const rows = table(
    ['kind', 'detail', 'count', 'share'],
    errors.map(({ kind, detail, count, share }) => [
      kind,
      cell(clean(detail)),
      String(count),
      percent(share),
    ]),
    2,
  )
  return [...rows, ...counts]
}

function generator({ generator }: LoadReport): readonly string[] {
  const { verdict, reasons, timestampError } = generator
  const error =
    timestampError === null
      ? 'timestamp error unknown'
      : `timestamp error ${figure(timestampError.p50)} ms (p50), ${figure(timestampError.p99)} ms (p99)`
  return [`**${verdict}**: ${[error, ...reasons].map(escaped).join('; ')}`]
}

function audits({ audits }: LoadReport): readonly string[] {
  return audits.map(
    ({ name, verdict, message }) => `- ${verdict}: ${escaped(name)}: ${escaped(message)}`,
  )
}
