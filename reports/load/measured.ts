import { quantileName } from '../../contract/averages.ts'
import {
  type Block,
  type Fact,
  filledFacts,
  type Section,
  type Table,
} from '../document/document.ts'
import { count, figure, listOf, percent, ranged } from '../text/format.ts'
import { chartsOf } from './charts.ts'
import {
  clocked,
  endpointTable,
  meanings,
  type QuantileRow,
  rateTable,
  stepsOf,
} from './measures.ts'
import type { LoadReport } from './model/report.ts'
import { connectionText, deliveryText, lumpText } from './traffic.ts'

/** Rates, quantiles and stalls of the measured window. */
export function measuredSections(report: LoadReport): readonly Section[] {
  const { metrics, outcome, transactions, config, endpoints = [] } = report
  const untrusted = outcome === 'invalid'
  return [
    { title: 'Charts', untrusted, blocks: [{ charts: chartsOf(report) }] },
    { title: 'Rates in the measured window', untrusted, blocks: rateBlocks(report) },
    { title: 'Transactions of the whole run', untrusted, blocks: transactionBlocks(report) },
    {
      title: `Endpoints, ${config.spread}`,
      untrusted,
      blocks: [
        { table: endpointTable(report) },
        { facts: endpoints.map(({ name, baseUrl }) => [`${name}: `, baseUrl]) },
      ],
    },
    {
      title: 'By step',
      untrusted,
      note: 'p50: median of the seconds of a step; p99: its worst second.',
      blocks: [{ table: stepTable(report) }],
    },
    {
      title: 'Latency in the measured window, ms',
      untrusted,
      note: 'With 95 % intervals. Response time counts from the planned send time, service time from the actual one.',
      blocks: quantileBlocks(clocked(metrics)),
    },
    {
      title: 'Stalls and delivery',
      untitled: true,
      untrusted,
      blocks: [{ facts: delivery(report) }],
    },
    ...transactions.map(
      ({ name, metrics: own }): Section => ({
        title: `Latency of ${name}, ms`,
        detail: 'verbose',
        untrusted,
        blocks: quantileBlocks(clocked(own)),
      }),
    ),
    {
      title: 'Definitions of the metrics',
      detail: 'verbose',
      blocks: [{ facts: metrics.map(({ name }) => [`${name}: `, meanings[name]]) }],
    },
  ]
}

function rateBlocks(report: LoadReport): readonly Block[] {
  const { open, left } = report
  const purposeful = Object.values(left).reduce((sum, number) => sum + number, 0)
  const beside = listOf([
    `${count(open, 'request')} in flight at the end`,
    purposeful > 0 && `${purposeful} aborted on purpose`,
    connectionText(report),
  ])
  return [{ table: rateTable(report) }, { text: beside }]
}

/** Empty for a single kind of transaction. */
function transactionBlocks({ transactions }: LoadReport): readonly Block[] {
  const head = ['', 'started', 'completed', 'failed', 'in flight']
  const rows = transactions.map((row) =>
    [row.name, row.planned, row.completed, row.failed, row.open].map(String),
  )
  return rows.length < 2 ? [] : [{ table: { head, rows } }]
}

/** Rates and latencies by step of `--steps`; empty for other loads. */
function stepTable(report: LoadReport): Table {
  return {
    head: [
      ...['step', 'from, s', 'planned per second', 'offered', 'completed per second', 'shed'],
      ...['failed', 'max in flight', 'ttft p50, ms', 'ttft p99, ms', 'e2e p50, ms', 'e2e p99, ms'],
    ],
    rows: stepsOf(report).map((step, at) => [
      String(at + 1),
      figure(step.fromMs / 1000),
      figure(step.perSecond),
      String(step.offered),
      figure(step.completedPerSecond),
      ...[step.shed, step.failed, step.maxInFlight].map(String),
      ...[step.ttft.p50, step.ttft.p99, step.e2e.p50, step.e2e.p99].map(figure),
    ]),
    spare: ['offered', 'shed', 'failed', 'from, s', 'ttft p50, ms', 'e2e p50, ms', 'max in flight'],
  }
}

function quantileBlocks(rows: readonly QuantileRow[]): readonly Block[] {
  const names = rows[0]?.distribution.quantiles.map(({ q }) => quantileName(q)) ?? []
  const table = {
    head: ['', '', 'n', 'mean', ...names, 'max'],
    rows: rows.map(({ name, clock, distribution }) => [
      name,
      clock,
      `${distribution.count}${distribution.censored === 0 ? '' : `+${distribution.censored}`}`,
      figure(distribution.mean),
      ...distribution.quantiles.map(({ value, low, high }) => ({
        short: figure(value),
        long: ranged(value, [low, high]),
      })),
      figure(distribution.max),
    ]),
    spare: ['p75', 'p99.9', 'mean', 'p90', 'n'],
  }
  const isCensored = rows.some(({ distribution }) => distribution.censored > 0)
  const text = '+n: requests still in flight at the end, included in the quantiles.'
  return [{ table }, ...(isCensored ? [{ text }] : [])]
}

function delivery(report: LoadReport): readonly Fact[] {
  return filledFacts([
    ['stalls: ', report.stalls && stallText(report.stalls)],
    ['delivery: ', deliveryText(report)],
    ['  note: ', lumpText(report)],
  ])
}

function stallText(stalls: NonNullable<LoadReport['stalls']>): string {
  const { overMs, stalled, streams, share, longestMs, coalesced } = stalls
  return `${stalled} of ${count(streams, 'stream')} stalled for more than ${overMs} ms, ${percent(share)} of their time; longest gap ${figure(longestMs)} ms; ${percent(coalesced)} of the gaps are 0 ms: several chunks arrived in one read`
}
