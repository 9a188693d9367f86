import type { HeatMap, SecondRow } from '../../../contract/report/load/measures.ts'
import type { RunMetrics } from '../metrics/run-metrics.ts'
import { Histogram, twoDigits } from '../metrics/samples/histogram.ts'
import type { ChartedMetric } from '../metrics/timeline.ts'
import { rankOf } from '../statistics/quantile-interval.ts'

/** Every second of the run, the drain included. */
export function seriesOf(run: RunMetrics): SecondRow[] {
  return run.seconds.rows().map(({ index, interval, inFlight }) => {
    const { planned, dispatched, completed, shed, failed, events, bytes, outputTokens } = interval
    const quantiles = (metric: ChartedMetric) =>
      secondQuantilesOf(run.secondQuantiles.get(metric, index))
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

/** Response times over time, for a chart; nothing where there are none. */
export function heatMapsOf(run: RunMetrics): HeatMap[] {
  return (['ttft', 'e2e'] as const).flatMap((metric) => {
    const seconds = run.seconds.rows().length
    const columnSeconds = Math.max(1, Math.ceil(seconds / maxColumns))
    const columns = Array.from({ length: Math.ceil(seconds / columnSeconds) }, (_, column) => {
      const buckets = new Histogram(twoDigits)
      for (let second = column * columnSeconds; second < (column + 1) * columnSeconds; second++) {
        const found = run.secondQuantiles.get(metric, second)
        if (found !== undefined) buckets.merge(found)
      }
      return buckets
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

/** Row of a latency; below a microsecond there is nothing to tell apart. */
function rowOf(ns: number): number {
  return Math.floor(rowsPerDecade * Math.log10(Math.max(ns, 1000)) + 1e-9)
}

function secondQuantilesOf(buckets: Histogram | undefined): SecondRow['ttft'] {
  if (buckets === undefined || buckets.count === 0) return null
  const at = (q: number) => buckets.highAt(rankOf(q, buckets.count)) / 1e6
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) }
}
