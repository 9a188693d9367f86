import { rankOf } from '../../../contract/averages.ts'
import type { EndpointRow, HeatMap, SecondRow } from '../../../reports/load/model/measures.ts'
import { countDue } from '../metrics/latency-recorder.ts'
import type { PlannedTransaction } from '../metrics/outcome-counts.ts'
import type { RunMetrics } from '../metrics/run-metrics.ts'
import { type Histogram, packed } from '../metrics/samples/histogram.ts'
import type { ChartedMetric } from '../metrics/timeline.ts'
import { decideSlo } from '../slo/decide.ts'
import { impliedSlos } from '../slo/implied.ts'
import type { Slo } from '../slo/slo.ts'
import { conservation, flowOf, littlesLaw, stampOrder } from '../statistics/audits.ts'
import {
  blocksOf,
  describeDelivery,
  disturbancesOf,
  goodputOf,
  ratesOf,
  stallsOf,
} from './rates.ts'
import {
  endpointRows,
  measuredWindow,
  metricRows,
  sloEvidence,
  type WindowOptions,
} from './window.ts'

export interface SummaryOptions extends WindowOptions {
  readonly slos: readonly Slo[]
  /** Share of the requests that may be refused, if the run limits it. */
  readonly maxRefusals?: number | undefined
  readonly transactions: readonly PlannedTransaction[]
  /** Endpoints of a target with several, in the order of their indexes. */
  readonly endpoints?: readonly Pick<EndpointRow, 'name' | 'baseUrl'>[] | undefined
}

/**
 * The measured part of a report; the rest comes from the plan, the judges and the generator. `reused`: requests
 * on a connection that was already open.
 */
export function summarize(run: RunMetrics, options: SummaryOptions) {
  const window = measuredWindow(run, options)
  const { from, to } = window
  const kept = run.group(from, to)
  const whole = run.group(0, Number.POSITIVE_INFINITY)
  const { outcomes } = whole
  const silent = whole.censored('ttfb', 'response').count
  const evidence = sloEvidence(run, window)
  const errors = run.failures.rows(countDue(outcomes))
  const metrics = metricRows(run, window)
  return {
    window: window.row,
    rates: ratesOf(run, window),
    goodput: goodputOf(kept, window),
    metrics,
    stalls: stallsOf(kept, run.config.stallNs),
    delivery: describeDelivery(kept),
    errors,
    disturbances: disturbancesOf(errors),
    open: outcomes.open,
    left: {
      abort: outcomes.abort,
      churn: outcomes.churn,
      slowReader: outcomes['slow-reader'],
      race: outcomes.race,
    },
    slo: [
      ...options.slos.map((slo) => decideSlo(slo, evidence)),
      ...impliedSlos(
        options.slos,
        {
          ...{ whole: outcomes.ok, due: countDue(outcomes), errors },
          unanswered: Math.min(outcomes.open, silent) + outcomes.stalled,
        },
        options.maxRefusals ?? null,
      ),
    ],
    audits: [
      littlesLaw(flowOf(run.slices, from, to)),
      conservation(outcomes),
      stampOrder(outcomes),
    ],
    series: seriesOf(run),
    heatMaps: heatMapsOf(run),
    blocks: packed(blocksOf(run, window)),
    ...(options.endpoints === undefined
      ? {}
      : { endpoints: endpointRows(run, window, options.endpoints) }),
    reused: outcomes.reusedConnections,
    connectMs: metrics.find(({ name }) => name === 'connect') ?? null,
    transactions: run.transactions.rows(options.transactions, (transaction) =>
      metricRows(run, window, { transaction }),
    ),
  }
}

/** Every second of the run, the drain included. */
export function seriesOf(run: RunMetrics): SecondRow[] {
  return run.seconds.rows().map(({ index, interval, inFlight }) => {
    const { planned, dispatched, completed, shed, failed, events, bytes, outputTokens } = interval
    const quantiles = (metric: ChartedMetric) =>
      secondQuantilesOf(run.secondQuantiles.between(metric, index, index + 1))
    return {
      second: index,
      ...{ planned, dispatched, completed, shed, failed, inFlight, events, bytes, outputTokens },
      ttft: quantiles('ttft'),
      e2e: quantiles('e2e'),
      icl: quantiles('icl'),
    }
  })
}

const maxColumns = 120
const rowsPerDecade = 10

/** Response times over time, for a chart; nothing if there are none. */
export function heatMapsOf(run: RunMetrics): HeatMap[] {
  return (['ttft', 'e2e'] as const).flatMap((metric) => {
    const seconds = run.seconds.rows().length
    const columnSeconds = Math.max(1, Math.ceil(seconds / maxColumns))
    const columns = Array.from({ length: Math.ceil(seconds / columnSeconds) }, (_, column) => {
      const from = column * columnSeconds
      return run.secondQuantiles.between(metric, from, from + columnSeconds)
    })
    const rows = columns.flatMap((buckets) => buckets.buckets().map(({ low }) => rowOf(low)))
    if (rows.length === 0) return []
    const first = rows.reduce((min, row) => Math.min(min, row))
    const height = rows.reduce((max, row) => Math.max(max, row)) - first + 1
    const edgesMs = Array.from({ length: height + 1 }, (_, row) =>
      Number((10 ** ((first + row) / rowsPerDecade) / 1e6).toPrecision(4)),
    )
    const counts = columns.map((buckets) => {
      const column = new Array<number>(height).fill(0)
      for (const { low, count } of buckets.buckets()) {
        const row = rowOf(low) - first
        column[row] = (column[row] ?? 0) + count
      }
      return column
    })
    return [{ metric, clock: 'response', columnSeconds, edgesMs, counts }]
  })
}

/** Row of a latency; all latencies below a microsecond share one. */
function rowOf(ns: number): number {
  return Math.floor(rowsPerDecade * Math.log10(Math.max(ns, 1000)) + 1e-9)
}

function secondQuantilesOf(buckets: Histogram): SecondRow['ttft'] {
  if (buckets.count === 0) return null
  const at = (q: number) => buckets.highAt(rankOf(q, buckets.count)) / 1e6
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) }
}
