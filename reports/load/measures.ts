import { createRequire } from 'node:module'
import { rankOf } from '../../contract/averages.ts'
import type { Distribution, Metric } from './model/measures.ts'

/** Latencies by metric and clock, in the order of the report. */
export function clocked(metrics: readonly Metric[]) {
  return metrics.flatMap(({ name, ...clocks }) =>
    (['response', 'service'] as const).flatMap((clock) => {
      const distribution = clocks[clock]
      return distribution === null ? [] : [{ name, clock, distribution }]
    }),
  )
}

/** A row of a table: its metric, and the clock from which it is counted. */
export type Clocked = ReturnType<typeof clocked>[number]

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
