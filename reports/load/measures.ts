import { createRequire } from 'node:module'
import { lowerMedianOf, rankOf } from '../../contract/averages.ts'
import type { Table } from '../document/document.ts'
import { figure } from '../text/format.ts'
import type { Distribution, Metric, MetricName, SecondRow } from './model/measures.ts'
import type { LoadReport } from './model/report.ts'

/** Latencies and rates as rows, shared by the formats of a load report. */

/** Short definitions of the metrics. */
export const meanings: Readonly<Record<MetricName, string>> = {
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

/** One distribution of a table: its metric, and the clock from which it is counted. */
export interface QuantileRow {
  readonly name: string
  readonly clock: string
  readonly distribution: Distribution
}

/** Latencies by metric and clock, in the order of the report. */
export function clocked(metrics: readonly Metric[]) {
  return metrics.flatMap(({ name, service, response }) =>
    (
      [
        ['response', response],
        ['service', service],
      ] as const
    ).flatMap(([clock, distribution]) =>
      distribution === null ? [] : [{ name, clock, distribution }],
    ),
  )
}

/** The five rates and the goodput: counts in the window and of the whole run, drain included. */
export function rateTable({ rates, goodput }: LoadReport): Table {
  const five = Object.entries(rates).map(([name, { count, perSecond, wholeRun }]) => [
    ...[name, String(count), figure(perSecond), String(wholeRun)],
  ])
  return {
    head: ['', 'count', 'per second', 'whole run'],
    rows: [...five, ['good', String(goodput.good), figure(goodput.perSecond), '']],
  }
}

/** Requests and latencies by endpoint; without rows for a target with a single one. */
export function endpointTable({ endpoints = [] }: Pick<LoadReport, 'endpoints'>): Table {
  return {
    head: [
      ...['', 'requests', 'completed', 'failed', 'shed', 'in flight'],
      ...['ttft p95, ms', 'e2e p95, ms'],
    ],
    rows: endpoints.map(({ name, requests, completed, failed, shed, open, metrics }) => {
      const p95s = ['ttft', 'e2e'].map((metric) => {
        const { response } = metrics.find((each) => each.name === metric) ?? {}
        return response?.quantiles.find(({ q }) => q === 0.95)?.value ?? null
      })
      return [...[name, requests, completed, failed, shed, open].map(String), ...p95s.map(figure)]
    }),
  }
}

/**
 * One row for each step of `--steps`, if given, summed up over its seconds; a second belongs to the step in
 * which it begins. Latencies in milliseconds: the median p50 and the highest p99 of the seconds.
 */
export function stepsOf({ plan, series }: LoadReport) {
  const { arrival } = plan
  if (arrival.kind !== 'steps') return []
  return arrival.steps.map(({ perSecond, forMs }, at) => {
    const fromMs = arrival.steps.slice(0, at).reduce((sum, step) => sum + step.forMs, 0)
    const own = series.filter(
      ({ second }) => 1000 * second >= fromMs && 1000 * second < fromMs + forMs,
    )
    const total = (name: 'planned' | 'completed' | 'shed' | 'failed') =>
      own.reduce((sum, row) => sum + row[name], 0)
    return {
      fromMs,
      perSecond,
      offered: total('planned'),
      completedPerSecond: own.length === 0 ? 0 : total('completed') / own.length,
      shed: total('shed'),
      failed: total('failed'),
      maxInFlight: Math.max(0, ...own.map(({ inFlight }) => inFlight)),
      ttft: latencyOf(own, 'ttft'),
      e2e: latencyOf(own, 'e2e'),
    }
  })
}

function latencyOf(rows: readonly SecondRow[], metric: 'ttft' | 'e2e') {
  const quantiles = rows.flatMap((row) => row[metric] ?? [])
  const p99s = quantiles.map(({ p99 }) => p99)
  return {
    p50: lowerMedianOf(quantiles.map(({ p50 }) => p50)),
    p99: p99s.length === 0 ? null : Math.max(...p99s),
  }
}

export interface Bin {
  /** Lowest and highest value of the bin, in milliseconds. */
  readonly low: number
  readonly high: number
  readonly count: number
}

/** Loaded lazily, by the first report with charts: it has 45 modules. */
const hdrLibrary = (): typeof import('hdr-histogram-js') =>
  createRequire(import.meta.url)('hdr-histogram-js')

/** Bins of a stored histogram, in ascending order; empty if none was stored. */
export function binsOf({ histogram }: Distribution): readonly Bin[] {
  if (histogram === null) return []
  const { decodeFromCompressedBase64, JsHistogram } = hdrLibrary()
  const decoded = decodeFromCompressedBase64(histogram.base64, 64)
  if (!(decoded instanceof JsHistogram)) return []
  const bins: Bin[] = []
  for (let index = 0; index < decoded.countsArrayLength; index += 1) {
    const count = decoded.getCountAtIndex(index)
    if (count === 0) continue
    const low = decoded.valueFromIndex(index)
    const ms = histogram.unitNs / 1e6
    bins.push({ low: low * ms, high: decoded.highestEquivalentValue(low) * ms, count })
  }
  return bins
}

/** Number of values at or below each bound in milliseconds; values in the bin of a bound are within. */
export function cumulative(bins: readonly Bin[], bounds: readonly number[]): readonly number[] {
  return bounds.map((bound) =>
    bins.reduce((sum, { low, count }) => (low <= bound ? sum + count : sum), 0),
  )
}

/** The value at a share of the sample, by nearest rank; null without values. */
export function valueAt(bins: readonly Bin[], total: number, q: number): number | null {
  const rank = rankOf(q, total)
  let reached = 0
  for (const { high, count } of bins) {
    reached += count
    if (reached >= rank) return high
  }
  return null
}
