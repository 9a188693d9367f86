import fc from 'fast-check'
import {
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  Float64Histogram,
} from 'hdr-histogram-js'
import { describe, expect, test } from 'vitest'
import { rankOf, sampleOf } from '../../statistics/quantile-interval.ts'
import { fromHdr, toHdr } from './distribution.ts'
import { Histogram, maxUnits, twoDigits, unitNs } from './histogram.ts'

const microseconds = fc.oneof(
  fc.integer({ min: 0, max: 5000 }),
  fc.integer({ min: 0, max: maxUnits }),
)
const values = fc.array(microseconds, { minLength: 1, maxLength: 80 })

function bucketsOf(units: readonly number[]): Histogram {
  const buckets = new Histogram()
  for (const value of units) buckets.add(value * unitNs)
  return buckets
}

describe('buckets', () => {
  test('hold a microsecond up to 2 ms, and then three digits', () => {
    const buckets = bucketsOf([2047, 2049, 500_000])
    // 2048 and 2049 share a bucket; at half a second they are 256 us wide. The ends are exact.
    expect(buckets.buckets()).toEqual([
      { low: 2047e3, high: 2047e3, count: 1 },
      { low: 2048e3, high: 2049e3, count: 1 },
      { low: 499_968e3, high: 500_000e3, count: 1 },
    ])
  })

  test('an hour is the most, and nothing lasts less than 0', () => {
    const buckets = new Histogram()
    buckets.add(5e12)
    buckets.add(-7)
    expect([buckets.minNs, buckets.maxNs]).toEqual([0, 3.6e12])
  })

  test('nothing has neither mean nor ends', () => {
    const { count, minNs, maxNs, meanNs, deviationNs } = new Histogram()
    expect([count, minNs, maxNs, meanNs, deviationNs]).toEqual([0, null, null, null, null])
  })

  test('every rank is within a thousandth of the value', () => {
    fc.assert(
      fc.property(values, (units) => {
        const buckets = bucketsOf(units)
        const exact = sampleOf(units.map((value) => value * unitNs))
        for (let rank = 1; rank <= units.length; rank++) {
          const value = exact.lowAt(rank)
          expect(buckets.lowAt(rank)).toBeLessThanOrEqual(value)
          expect(buckets.highAt(rank)).toBeGreaterThanOrEqual(value)
          expect(buckets.highAt(rank) - buckets.lowAt(rank)).toBeLessThanOrEqual(value / 1000)
        }
      }),
    )
  })

  test('mean, least and most are exact', () => {
    fc.assert(
      fc.property(values, (units) => {
        const buckets = bucketsOf(units)
        expect(buckets.minNs).toBe(Math.min(...units) * unitNs)
        expect(buckets.maxNs).toBe(Math.max(...units) * unitNs)
        const sum = units.reduce((total, value) => total + value, 0)
        expect(buckets.meanNs).toBeCloseTo((sum / units.length) * unitNs, 0)
      }),
    )
  })

  test('a limit is kept up to the resolution', () => {
    const buckets = bucketsOf([99_000, 100_000, 101_000])
    expect(buckets.countOver(100e6, false)).toBe(2)
    expect(buckets.countOver(100e6, true)).toBe(1)
    expect(buckets.countOver(1e9, true)).toBe(0)
  })

  test('parts merge to the whole, in any order, also by way of storage', () => {
    fc.assert(
      fc.property(fc.array(values, { minLength: 1, maxLength: 5 }), (parts) => {
        const whole = bucketsOf(parts.flat())
        const merged = new Histogram()
        for (const part of parts.toReversed()) {
          merged.merge(Histogram.from(JSON.parse(JSON.stringify(bucketsOf(part).store()))))
        }
        expect(merged.store()).toEqual(whole.store())
        expect(toHdr(merged)).toBe(toHdr(whole))
      }),
    )
  })

  test('two digits are for charts', () => {
    const buckets = new Histogram(twoDigits)
    buckets.add(1e9)
    buckets.add(0.9999e9)
    expect(buckets.buckets()).toHaveLength(1)
  })
})

describe('HDR V2', () => {
  test('what other tools decode has our ranks', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 100 }), (units, percent) => {
        const buckets = bucketsOf(units)
        const theirs = decodeFromCompressedBase64(toHdr(buckets))
        expect(theirs.totalCount).toBe(units.length)
        const rank = rankOf(percent / 100, units.length)
        // Theirs is the upper end of the bucket, where ours knows the largest value.
        const ours = Math.min(buckets.highAt(rank) / unitNs, Math.max(...units))
        expect(Math.min(theirs.getValueAtPercentile(percent), Math.max(...units))).toBe(ours)
      }),
    )
  })

  test('the buckets are those of the library', () => {
    fc.assert(
      fc.property(values, (units) => {
        const theirs = new Float64Histogram(1, maxUnits, 3)
        for (const value of units) theirs.recordValue(value)
        const mine = bucketsOf(units)
          .store()
          .counts.map(([low]) => low)
        expect(mine).toEqual(
          [...new Set(units.map((value) => theirs.lowestEquivalentValue(value)))].sort(
            (a, b) => a - b,
          ),
        )
      }),
    )
  })

  test('comes back with the same counts', () => {
    fc.assert(
      fc.property(values, (units) => {
        const buckets = bucketsOf(units)
        expect(fromHdr(toHdr(buckets)).store().counts).toEqual(buckets.store().counts)
      }),
      { numRuns: 30 },
    )
  })

  test('a histogram of another unit is refused', () => {
    const other = new Float64Histogram(1000, 1e9, 2)
    other.recordValue(42_000)
    expect(() => fromHdr(encodeIntoCompressedBase64(other))).toThrow(RangeError)
  })
})
