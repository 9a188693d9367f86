import { lowerMedianOf, quantileName } from '../../contract/averages.ts'
import { type Block, filledFacts, type Section, type Table, tableOf } from '../document/document.ts'
import { count, figure, joinPhrases, percent, withRange } from '../text/format.ts'
import { chartsOf } from './charts.ts'
import { type Clocked, clocked } from './measures.ts'
import type { MetricName } from './model/measures.ts'
import type { LoadReport } from './model/report.ts'
import { connectionText, deliveryText, lumpText } from './traffic.ts'

/** Rates, quantiles and stalls of the measured window. */
export function measuredSections(report: LoadReport): readonly Section[] {
  const { metrics, outcome, transactions, config, stalls, endpoints = [] } = report
  const untrusted = outcome === 'invalid'
  const measured: readonly Section[] = [
    { title: 'Charts', blocks: [{ charts: chartsOf(report) }] },
    {
      title: 'Rates in the measured window',
      blocks: [{ table: rateTable(report) }, { text: besideRates(report) }],
    },
    {
      title: 'Transactions of the whole run',
      blocks: transactions.length < 2 ? [] : [{ table: transactionTable(report) }],
    },
    {
      title: `Endpoints, ${config.spread}`,
      blocks: [
        { table: endpointTable(report) },
        { facts: endpoints.map(({ name, baseUrl }) => [`${name}: `, baseUrl]) },
      ],
    },
    {
      title: 'By step',
      note: 'p50: median of the seconds of a step; p99: its worst second.',
      blocks: [{ table: stepTable(report) }],
    },
    {
      title: 'Latency in the measured window, ms',
      note: 'With 95 % intervals. Response time counts from the planned send time, service time from the actual one.',
      blocks: quantileBlocks(clocked(metrics)),
    },
    {
      title: 'Stalls and delivery',
      untitled: true,
      blocks: [
        {
          facts: filledFacts([
            ['stalls: ', stalls && stallText(stalls)],
            ['delivery: ', deliveryText(report)],
            ['  note: ', lumpText(report)],
          ]),
        },
      ],
    },
    ...transactions.map(
      ({ name, metrics: own }): Section => ({
        title: `Latency of ${name}, ms`,
        detail: 'verbose',
        blocks: quantileBlocks(clocked(own)),
      }),
    ),
  ]
  return [
    ...measured.map((section) => ({ ...section, untrusted })),
    {
      title: 'Definitions of the metrics',
      detail: 'verbose',
      blocks: [{ facts: metrics.map(({ name }) => [`${name}: `, meanings[name]]) }],
    },
  ]
}

/** Short definitions of the metrics. */
const meanings: Readonly<Record<MetricName, string>> = {
  connect: 'connection setup including TLS; not part of any other metric',
  ttfb: 'until the status line and headers',
  ttfe: 'until the first event of any kind',
  ttft: 'until the first generated content: reasoning, text or tool arguments',
  ttfo: 'until the first output text',
  thinking: 'from the first content to the first output text',
  icl: 'gaps between reads with content (inter-chunk latency)',
  tpot: 'time per output token after the first',
  e2e: 'until the event that ends a complete response',
  close_lag: 'from that event to the end of the body',
  max_gap: 'longest gap of a stream',
}

/** The five rates and the goodput: counts in the window and of the whole run, drain included. */
function rateTable({ rates, goodput }: LoadReport): Table {
  const five = Object.entries(rates).map(([name, { count, perSecond, wholeRun }]) => [
    ...[name, String(count), figure(perSecond), String(wholeRun)],
  ])
  return {
    head: ['', 'count', 'per second', 'whole run'],
    rows: [...five, ['good', String(goodput.good), figure(goodput.perSecond), '']],
  }
}

function besideRates(report: LoadReport): string {
  const { open, left } = report
  const purposeful = Object.values(left).reduce((sum, number) => sum + number, 0)
  return joinPhrases([
    `${count(open, 'request')} in flight at the end`,
    purposeful > 0 && `${purposeful} aborted on purpose`,
    connectionText(report),
  ])
}

function transactionTable({ transactions }: LoadReport): Table {
  return tableOf(transactions, [
    ['', ({ name }) => name],
    ['started', ({ planned }) => String(planned)],
    ['completed', ({ completed }) => String(completed)],
    ['failed', ({ failed }) => String(failed)],
    ['in flight', ({ open }) => String(open)],
  ])
}

/** Requests and latencies by endpoint; without rows for a target with a single one. */
function endpointTable({ endpoints = [] }: LoadReport): Table {
  type Endpoint = (typeof endpoints)[number]
  const p95 = (metric: MetricName) => {
    const cell = ({ metrics }: Endpoint) => {
      const { response } = metrics.find(({ name }) => name === metric) ?? {}
      return figure(response?.quantiles.find(({ q }) => q === 0.95)?.value ?? null)
    }
    return [`${metric} p95, ms`, cell] as const
  }
  return tableOf(endpoints, [
    ['', ({ name }) => name],
    ['requests', ({ requests }) => String(requests)],
    ['completed', ({ completed }) => String(completed)],
    ['failed', ({ failed }) => String(failed)],
    ['shed', ({ shed }) => String(shed)],
    ['in flight', ({ open }) => String(open)],
    p95('ttft'),
    p95('e2e'),
  ])
}

/**
 * One row for each step of `--steps`, if given, summed up over its seconds; a second belongs to the step in
 * which it begins. Latencies: the median p50 and the highest p99 of the seconds.
 */
function stepTable({ plan: { arrival }, series }: LoadReport): Table {
  const steps = arrival.kind === 'steps' ? arrival.steps : []
  let toMs = 0
  return {
    head: [
      ...['step', 'from, s', 'planned per second', 'offered', 'completed per second', 'shed'],
      ...['failed', 'max in flight', 'ttft p50, ms', 'ttft p99, ms', 'e2e p50, ms', 'e2e p99, ms'],
    ],
    rows: steps.map(({ perSecond, forMs }, at) => {
      const fromMs = toMs
      toMs += forMs
      const end = toMs
      const own = series.filter(({ second }) => 1000 * second >= fromMs && 1000 * second < end)
      const total = (name: 'planned' | 'completed' | 'shed' | 'failed') =>
        own.reduce((sum, row) => sum + row[name], 0)
      const latencies = (['ttft', 'e2e'] as const).flatMap((metric) => {
        const found = own.flatMap((row) => row[metric] ?? [])
        const p99s = found.map(({ p99 }) => p99)
        return [
          lowerMedianOf(found.map(({ p50 }) => p50)),
          p99s.length === 0 ? null : Math.max(...p99s),
        ]
      })
      return [
        String(at + 1),
        figure(fromMs / 1000),
        figure(perSecond),
        String(total('planned')),
        figure(own.length === 0 ? 0 : total('completed') / own.length),
        ...[total('shed'), total('failed')].map(String),
        String(Math.max(0, ...own.map(({ inFlight }) => inFlight))),
        ...latencies.map(figure),
      ]
    }),
    spare: ['offered', 'shed', 'failed', 'from, s', 'ttft p50, ms', 'e2e p50, ms', 'max in flight'],
  }
}

function quantileBlocks(rows: readonly Clocked[]): readonly Block[] {
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
        long: withRange(value, [low, high]),
      })),
      figure(distribution.max),
    ]),
    spare: ['p75', 'p99.9', 'mean', 'p90', 'n'],
  }
  const isCensored = rows.some(({ distribution }) => distribution.censored > 0)
  const text = '+n: requests still in flight at the end, included in the quantiles.'
  return [{ table }, ...(isCensored ? [{ text }] : [])]
}

function stallText(stalls: NonNullable<LoadReport['stalls']>): string {
  const { overMs, stalled, streams, share, longestMs, coalesced } = stalls
  return `${stalled} of ${count(streams, 'stream')} stalled for more than ${overMs} ms, ${percent(share)} of their time; longest gap ${figure(longestMs)} ms; ${percent(coalesced)} of the gaps are 0 ms: several chunks arrived in one read`
}
