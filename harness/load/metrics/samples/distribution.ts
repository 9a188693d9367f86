import { createRequire } from 'node:module'
import { rankOf } from '../../../../contract/averages.ts'
import type { Distribution, Quantile } from '../../../../reports/load/model/measures.ts'
import {
  kaplanMeierQuantile,
  type LifeTable,
  type OrderedSample,
  quantileEstimate,
} from '../../statistics/quantile-interval.ts'
import { type Bucket, type Histogram, maxUnits, milliseconds, unitNs } from './histogram.ts'

export const quantiles: readonly number[] = [0.5, 0.75, 0.9, 0.95, 0.99, 0.999]

/**
 * A latency as reported. Requests still running are part of the quantiles, by Kaplan and Meier, but not of the mean.
 * @param independentAt effective sample size, as a share of the sample, of the values over some nanoseconds
 */
export function distributionOf(
  values: Histogram,
  running: Histogram,
  independentAt: (ns: number) => number,
): Distribution | null {
  const count = values.count + running.count
  if (count === 0) return null
  const sample = censoredSample(values, running)
  const median = sample.highAt(rankOf(0.5, count))
  return {
    count: values.count,
    censored: running.count,
    effective: Number((count * independentAt(median)).toFixed(1)),
    min: milliseconds(values.minNs),
    mean: milliseconds(values.meanNs),
    max: milliseconds(values.maxNs),
    quantiles: quantilesOf(sample, running.count, independentAt),
    histogram: values.count === 0 ? null : { unitNs, digits, base64: toHdr(values) },
  }
}

/** Ranks of a sample with some values only known to lie above a bound; infinite if unknown. */
export function censoredSample(ended: Histogram, censored: Histogram): OrderedSample {
  if (censored.count === 0) return ended
  const count = ended.count + censored.count
  const lows = lifeTable(ended, censored, ({ low }) => low)
  const highs = lifeTable(ended, censored, ({ high }) => high)
  return {
    count,
    lowAt: (rank) => kaplanMeierQuantile(lows, rank / count) ?? Number.POSITIVE_INFINITY,
    highAt: (rank) => kaplanMeierQuantile(highs, rank / count) ?? Number.POSITIVE_INFINITY,
  }
}

function quantilesOf(
  sample: OrderedSample,
  running: number,
  independentAt: (ns: number) => number,
): Quantile[] {
  const { count } = sample
  return quantiles.map((q) => {
    const effective = count * independentAt(sample.highAt(rankOf(q, count)))
    const { value, low, high, why } = quantileEstimate(sample, q, effective)
    const unknown = value === Number.POSITIVE_INFINITY
    return {
      q,
      value: milliseconds(value),
      low: milliseconds(low),
      high: milliseconds(high),
      why: unknown ? `${running} of ${count} were still running before it` : why,
    }
  })
}

/** Both histograms have the same buckets, so the lower ends can be compared. */
function lifeTable(
  ended: Histogram,
  censored: Histogram,
  endOf: (bucket: Bucket) => number,
): LifeTable[] {
  const rows = [
    ...ended.buckets().map((bucket) => ({ bucket, ended: bucket.count, censored: 0 })),
    ...censored.buckets().map((bucket) => ({ bucket, ended: 0, censored: bucket.count })),
  ]
  // Values censored in a bucket are at risk for all that ended in it.
  return rows
    .sort((a, b) => a.bucket.low - b.bucket.low || b.ended - a.ended)
    .map(({ bucket, ...row }) => ({ value: endOf(bucket), ...row }))
}

/** Loaded by the first report: its 45 modules would delay the first request. */
const hdrLibrary = (): typeof import('hdr-histogram-js') =>
  createRequire(import.meta.url)('hdr-histogram-js')

/** Significant digits of every histogram. */
export const digits = 3

/**
 * HDR V2, compressed, base64: what every HDR tool reads. All histograms of all runs have one
 * configuration, 1 us to 1 h with three digits, so that they can be added. The lowest value must be 1:
 * hdr-histogram-js 3 adds the mask of a larger unit to the maximum at every merge.
 */
export function toHdr(buckets: Histogram): string {
  const { encodeIntoCompressedBase64, Float64Histogram } = hdrLibrary()
  const histogram = new Float64Histogram(1, maxUnits, digits)
  for (const { low, count } of buckets.buckets()) {
    histogram.recordValueWithCount(low / unitNs, count)
  }
  return encodeIntoCompressedBase64(histogram)
}
