import { tableOf } from '../document/document.ts'
import type { Chart, Series } from '../html/markup.ts'
import { clean } from '../text/escape.ts'
import { figure, percent, seconds } from '../text/format.ts'
import { type CapacityProbe, isotonic, loadOf } from './model/probe.ts'
import { type CapacityReport, type FrontierPoint, loadEstimate } from './model/report.ts'

/** Charts of a capacity search that have data. */
export function capacityCharts(report: CapacityReport): readonly Chart[] {
  return [frontier(report), margins(report), timeLine(report)].filter(
    ({ x, series }) => x.values.length > 0 && series.length > 0,
  )
}

function frontier(report: CapacityReport): Chart {
  const { loop } = report
  const points = report.frontier.toSorted((a, b) => loadOf(a) - loadOf(b))
  const lines = (['ttft', 'tpot', 'e2e'] as const).flatMap((metric) =>
    (['p50', 'p95'] as const).map((name) => ({
      name: `${metric} ${name}`,
      values: points.map((point) => point[metric][name] || null),
    })),
  )
  return {
    id: 'frontier',
    title: 'Latency by load',
    note: 'Latency (logarithmic) at each load that was probed; above the capacity it grows with the length of a probe.',
    x: {
      label: loop === 'closed' ? 'clients' : '/s',
      scale: 'linear',
      values: points.map((point) => rounded(loadOf(point))),
    },
    y: { label: 'ms', scale: 'log' },
    series: lines.filter(({ values }) => values.some((value) => value !== null)),
    table: frontierTable(report),
  }
}

/** Shares over the limit as a multiple of what each SLO allows: 1 is its limit. */
function margins(report: CapacityReport): Chart {
  const { result, loop } = report
  const probes = report.probes
    .filter(({ valid }) => valid)
    .toSorted((a, b) => loadOf(a) - loadOf(b))
  const slos = [...new Set(probes.flatMap(({ slo }) => slo.map(({ expression }) => expression)))]
  const series = slos.flatMap((expression): readonly Series[] => {
    const values = probes.map((probe) => countedRow(probe, expression)?.used ?? null)
    if (values.every((value) => value === null)) return []
    const name = clean(expression)
    return [
      { name, values, points: true },
      { name: `${name}, fit`, values: fitOf(probes, expression) },
    ]
  })
  // A rate says nothing about the number of clients that are the axis of a closed loop.
  const isOnAxis = loop === 'open' || result.concurrency !== null
  const interval = isOnAxis ? loadEstimate(report).interval : null
  const unit = loop === 'closed' ? 'clients' : '/s'
  const between =
    interval === null
      ? ''
      : ` Shaded: the interval of the answer, ${figure(interval[0])} to ${figure(interval[1])} ${unit}.`
  return {
    id: 'margin',
    title: 'Margin of each SLO by load',
    note: `Share of the requests over the limit, as a multiple of the share that the SLO allows; above the dashed line it is missed. The line is the monotone fit of the probes (isotonic regression).${between}`,
    x: { label: unit, scale: 'linear', values: probes.map((probe) => rounded(loadOf(probe))) },
    y: { label: 'used', scale: 'linear' },
    series,
    limits: series.length === 0 ? [] : [{ label: 'allowed', value: 1 }],
    ...(interval === null ? {} : { shaded: [interval] }),
    table: {
      head: ['load', 'probe', ...slos.map(clean)],
      rows: probes.map((probe) => [
        figure(loadOf(probe)),
        String(probe.index),
        ...slos.map((expression) => {
          const row = countedRow(probe, expression)
          return row === undefined ? 'n/a' : percent(row.used)
        }),
      ]),
    },
  }
}

function countedRow({ slo }: CapacityProbe, expression: string) {
  return countedRows(slo).find((one) => one.expression === expression)
}

/** SLOs that allow a share of the requests, with the multiple of it that was over the limit. */
function countedRows(slo: CapacityProbe['slo']) {
  return slo.flatMap(({ expression, over, requests, allowed }) => {
    if (over === null || !requests || !allowed) return []
    return [{ expression, over, requests, allowed, used: over / requests / allowed }]
  })
}

/** Monotone fit of the shares that were used, each load weighted by its requests. */
function fitOf(probes: readonly CapacityProbe[], expression: string): readonly (number | null)[] {
  const rows = probes.map((probe) => ({ rate: loadOf(probe), row: countedRow(probe, expression) }))
  const pools = isotonic(
    rows.flatMap(({ rate, row }) => (row ? [{ rate, count: row.requests, over: row.over }] : [])),
  )
  return rows.map(({ rate, row }) => {
    const pool = pools.find(({ low, high }) => low <= rate && rate <= high)
    return row && pool ? pool.over / pool.count / row.allowed : null
  })
}

const verdicts = ['met', 'missed', 'undecided', 'invalid'] as const
const colors = { met: 'pass', missed: 'fail', undecided: 'open', invalid: 'dim' } as const

function timeLine(report: CapacityReport): Chart {
  const probes = report.probes.toSorted((a, b) => a.atMs - b.atMs)
  return {
    id: 'time-line',
    title: 'Probes over time',
    note: `${report.loop === 'closed' ? 'Clients' : 'Rate'} of each probe when it began, by its verdict.`,
    x: { label: 's', scale: 'linear', values: probes.map(({ atMs }) => Math.round(atMs / 1000)) },
    y: { label: report.loop === 'closed' ? 'clients' : 'req/s', scale: 'linear' },
    series: verdicts
      .map((name) => ({
        name,
        points: true,
        color: colors[name],
        values: probes.map((probe) => (probe.verdict === name ? loadOf(probe) : null)),
      }))
      .filter(({ values }) => values.some((value) => value !== null)),
    table: probeTable(report),
  }
}

function rounded(value: number): number {
  return Number(value.toPrecision(4))
}

export function frontierTable({ frontier, loop }: CapacityReport) {
  return tableOf(frontier, [
    loop === 'closed'
      ? ['clients', ({ clients }) => String(clients ?? '')]
      : ['rate', ({ rate }) => figure(rate)],
    ['probes', ({ probes }) => String(probes)],
    ['completed/s', ({ completed }) => figure(completed)],
    // No answer with usage: its tokens are not known.
    ['tokens/s', ({ outputTokens }) => figure(outputTokens || null)],
    ['in flight', ({ concurrency }) => figure(concurrency)],
    ['ttft p50/p95', ({ ttft }) => quantiles(ttft)],
    ['tpot p50/p95', ({ tpot }) => quantiles(tpot)],
    ['e2e p50/p95', ({ e2e }) => quantiles(e2e)],
    ['verdict', ({ verdict }) => verdict],
  ])
}

function probeTable({ probes, loop }: CapacityReport) {
  return tableOf(probes, [
    ['probe', ({ index }) => String(index)],
    ['purpose', ({ purpose }) => purpose],
    loop === 'closed'
      ? ['clients', ({ clients }) => String(clients ?? '')]
      : ['rate', ({ rate }) => figure(rate)],
    ['at', ({ atMs }) => seconds(atMs)],
    ['length', ({ durationMs }) => seconds(durationMs)],
    ['verdict', ({ verdict }) => verdict],
    ['nearest limit', nearestLimit],
    ['', ({ stopped, valid, generator }) => stopped ?? (valid ? '' : generator.reasons.join('; '))],
  ])
}

/** The SLO whose share over the limit is the largest multiple of what it allows. */
function nearestLimit({ slo }: CapacityProbe): string {
  const [worst] = countedRows(slo).toSorted((a, b) => b.used - a.used)
  if (worst === undefined) return ''
  return `${worst.expression}: ${overText(worst.over / worst.requests, worst.allowed)}`
}

export function overText(share: number, allowed: number): string {
  return `${percent(share)} over, ${percent(allowed)} allowed`
}

function quantiles({ p50, p95 }: FrontierPoint['ttft']): string {
  return p50 === null && p95 === null ? 'n/a' : `${figure(p50)} / ${figure(p95)}`
}
