import type { Chart, Series } from '../html/markup.ts'
import { figure } from '../text/format.ts'
import { type Bin, binsOf, type Clocked, clocked, valueAt } from './measures.ts'
import type { HeatMap, SecondRow } from './model/measures.ts'
import type { LoadReport } from './model/report.ts'

/** Every chart that the report has data for. */
export function chartsOf(report: LoadReport): readonly Chart[] {
  const { series, metrics, heatMaps } = report
  const all = clocked(metrics)
  return [
    overTime('rates', 'Requests per second', series, 'requests', 'linear', rateLines(series)),
    overTime('in-flight', 'Requests in flight', series, 'requests', 'linear', [
      { name: 'in flight', values: series.map(({ inFlight }) => inFlight) },
    ]),
    ...quantileChart(series, 'ttft', 'Response time to the first token, over time'),
    ...quantileChart(series, 'e2e', 'Response time of complete responses, over time'),
    ...distributionChart(
      'latency',
      'Latency distribution',
      all.filter(({ name }) => name === 'ttft' || name === 'e2e'),
    ),
    ...heatMaps.map(heatChart),
    ...quantileChart(series, 'icl', 'Gaps between tokens, over time'),
    ...distributionChart(
      'gaps',
      'Distribution of gaps between tokens',
      all.filter(({ name }) => name === 'icl' || name === 'max_gap'),
    ),
  ]
    .filter(({ x }) => x.values.length > 0)
    .map((chart) => withWindow(withLimits(chart, report), report))
}

/** SLOs on a latency as lines in its charts over time; those of service time have no such chart. */
function withLimits(chart: Chart, { slo }: LoadReport): Chart {
  const own = slo.flatMap(({ expression, limits = [] }) =>
    limits
      .filter((limit) => chart.id === `${limit.metric}-time` || chart.id === `${limit.metric}-heat`)
      .filter(({ metric, clock }) => clock === (metric === 'icl' ? 'service' : 'response'))
      .map(({ metric, statistic, value, unit, inclusive }) => {
        // The SLO as written; for goodput, only the limit.
        const limit = `${metric} ${inclusive ? '<=' : '<'} ${Number(value.toPrecision(4))} ${unit}`
        return { label: statistic === null ? limit : expression, value }
      }),
  )
  if (own.length === 0) return chart
  const labels = own.map(({ label }) => label).join(', ')
  return { ...chart, limits: own, note: `${chart.note} Dashed line: SLO ${labels}.` }
}

/** Shades what lies outside the measured window, such as the warm-up. */
function withWindow(chart: Chart, { window, series }: LoadReport): Chart {
  if (chart.x.label !== 's') return chart
  const lastSecond = Math.max(0, ...series.map(({ second }) => second)) + 1
  const outside = [
    [0, window.fromMs / 1000],
    [window.toMs / 1000, lastSecond],
  ] as const
  const shaded = outside.filter(([from, to]) => to > from)
  if (shaded.length === 0) return chart
  const ranges = shaded.map(([from, to]) => `${figure(from)} to ${figure(to)} s`).join(' and ')
  return { ...chart, shaded, note: `${chart.note} Shaded, not measured: ${ranges}.` }
}

function rateLines(series: readonly SecondRow[]): readonly Series[] {
  return (['planned', 'dispatched', 'completed', 'shed', 'failed'] as const).map((name) => ({
    name: name === 'planned' ? 'offered' : name,
    values: series.map((row) => row[name]),
  }))
}

function quantileChart(
  series: readonly SecondRow[],
  metric: 'ttft' | 'e2e' | 'icl',
  title: string,
): readonly Chart[] {
  if (series.every((row) => row[metric] === null)) return []
  const lines = (['p50', 'p90', 'p99'] as const).map((name) => ({
    name,
    values: series.map((row) => positive(row[metric]?.[name] ?? null)),
  }))
  return [overTime(`${metric}-time`, title, series, 'ms', 'log', lines)]
}

/** Longer tables are sampled; the CSV has every second. */
const maxTableRows = 120

function overTime(
  id: string,
  title: string,
  rows: readonly SecondRow[],
  label: string,
  scale: 'linear' | 'log',
  series: readonly Series[],
): Chart {
  const every = Math.max(1, Math.ceil(rows.length / maxTableRows))
  const indexes = rows.map((_, at) => at).filter((at) => at % every === 0)
  return {
    id,
    title,
    note: `By second of the run${every === 1 ? '' : `; the table has every ${every}th second`}.`,
    x: { label: 's', scale: 'linear', values: rows.map(({ second }) => second) },
    y: { label, scale },
    series,
    table: {
      head: ['second', ...series.map(({ name }) => name)],
      rows: indexes.map((at) => [
        String(rows[at]?.second ?? at),
        ...series.map(({ values }) => cellOf(values[at] ?? null)),
      ]),
    },
  }
}

/** Points of a curve for each further nine. */
const pointsPerNine = 24
const tabled = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999]

function distributionChart(id: string, title: string, all: readonly Clocked[]): readonly Chart[] {
  const curves = all
    .map(({ name, clock, distribution }) => {
      const bins = binsOf(distribution)
      return { name: `${name} ${clock}`, bins, total: totalOf(bins) }
    })
    .filter(({ total }) => total > 0)
  const nines = Math.log10(Math.max(1, ...curves.map(({ total }) => total)))
  const rarities = Array.from(
    { length: Math.floor(nines * pointsPerNine) + 1 },
    (_, at) => 10 ** (at / pointsPerNine),
  )
  const series = curves.map(({ name, bins, total }) => ({
    name,
    values: rarities.map((rarity) =>
      rarity > total ? null : positive(valueAt(bins, total, 1 - 1 / rarity)),
    ),
  }))
  if (series.length === 0) return []
  const rows = tabled
    .filter((q) => curves.some(({ total }) => total * (1 - q) >= 1))
    .map((q) => [
      `${Number((100 * q).toPrecision(6))} %`,
      ...curves.map(({ bins, total }) =>
        figure(total * (1 - q) < 1 ? null : valueAt(bins, total, q)),
      ),
    ])
  return [
    {
      id: `${id}-distribution`,
      title,
      note: 'Share of requests (x) with at most this latency (y); both axes are logarithmic, the x axis by nines. Ended requests only; a latency of 0 is not drawn.',
      x: { label: 'share', scale: 'rarity', values: rarities },
      y: { label: 'ms', scale: 'log' },
      series,
      table: { head: ['share', ...series.map(({ name }) => `${name}, ms`)], rows },
    },
  ]
}

function heatChart({ metric, columnSeconds, edgesMs, counts }: HeatMap): Chart {
  const what = metric === 'ttft' ? 'the first token' : 'complete responses'
  const top = edgesMs.at(-1) ?? null
  return {
    id: `${metric}-heat`,
    title: `Heat map of the response time ${metric === 'ttft' ? 'to' : 'of'} ${what}`,
    note: 'Darker cells: more requests with that latency at that time.',
    x: { label: 's', scale: 'linear', values: counts.map((_, at) => at * columnSeconds) },
    y: { label: 'ms', scale: 'log' },
    series: [],
    heat: { edges: edgesMs, counts, width: columnSeconds },
    table: {
      head: ['from second', 'requests', 'p50, ms', 'p99, ms', 'max, ms'],
      rows: counts.map((column, at) => {
        const bins = column.map((count, row) => ({
          low: edgesMs[row] ?? 0,
          high: edgesMs[row + 1] ?? top ?? 0,
          count,
        }))
        const total = totalOf(bins)
        const below = (q: number) => figure(valueAt(bins, total, q))
        return [String(at * columnSeconds), String(total), below(0.5), below(0.99), below(1)]
      }),
    },
  }
}

/** Integers are not rounded. */
function cellOf(value: number | null): string {
  return value !== null && Number.isInteger(value) ? String(value) : figure(value)
}

function totalOf(bins: readonly Bin[]): number {
  return bins.reduce((sum, { count }) => sum + count, 0)
}

/** A logarithmic axis has no 0. */
function positive(value: number | null): number | null {
  return value !== null && value > 0 ? value : null
}
