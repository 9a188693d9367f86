import {
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  Float64Histogram,
  JsHistogram,
} from 'hdr-histogram-js'
import { Histogram, maxUnits, unitNs } from './histogram.ts'

/** Significant digits of every histogram. */
export const digits = 3

/**
 * HDR V2, compressed, base64: what every HDR tool reads. All histograms of all runs have one
 * configuration, 1 us to 1 h with three digits, so that they can be added. The lowest value must be 1:
 * hdr-histogram-js 3 adds the mask of a larger unit to the maximum at every merge.
 */
export function toHdr(buckets: Histogram): string {
  const histogram = new Float64Histogram(1, maxUnits, digits)
  for (const { low, count } of buckets.buckets()) {
    histogram.recordValueWithCount(low / unitNs, count)
  }
  return encodeIntoCompressedBase64(histogram)
}

/** @throws Error where it is no HDR V2 histogram of ours */
export function fromHdr(base64: string): Histogram {
  const histogram = decodeFromCompressedBase64(base64, 64)
  if (!(histogram instanceof JsHistogram)) throw new TypeError('not decoded by the JS build')
  if (
    histogram.lowestDiscernibleValue !== 1 ||
    histogram.numberOfSignificantValueDigits !== digits
  ) {
    throw new RangeError('The histogram has another configuration: 1 us, three digits is ours')
  }
  const buckets = new Histogram()
  for (let index = 0; index < histogram.countsArrayLength; index++) {
    const count = histogram.getCountAtIndex(index)
    if (count > 0) buckets.add(histogram.valueFromIndex(index) * unitNs, count)
  }
  return buckets
}
