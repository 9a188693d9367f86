import fc from 'fast-check'
import { expect, test } from 'vitest'
import { distributionOf } from '../test-support/sketch.ts'
import { binsOf, cumulative, valueAt } from './histogram.ts'

/** Whole microseconds up to a minute, as milliseconds. */
const latencies = fc.array(
  fc.integer({ min: 0, max: 60_000_000 }).map((us) => us / 1000),
  { minLength: 1, maxLength: 200 },
)
/** A bin of three digits is at most so wide. */
const width = 1.001

test('quantiles are those of the values, to three digits', () => {
  fc.assert(
    fc.property(latencies, fc.double({ min: 0, max: 1, noNaN: true }), (values, q) => {
      const sorted = values.toSorted((a, b) => a - b)
      const exact = sorted[Math.max(1, Math.ceil(q * sorted.length - 1e-9)) - 1] ?? 0
      const found = valueAt(binsOf(distributionOf(values)), values.length, q) ?? -1
      expect(found).toBeGreaterThanOrEqual(exact)
      expect(found).toBeLessThanOrEqual(exact * width + 0.001)
    }),
  )
})

test('counts up to a bound hold all values below it, and none that is clearly above', () => {
  fc.assert(
    fc.property(latencies, fc.double({ min: 0, max: 60_000, noNaN: true }), (values, bound) => {
      const [count = 0] = cumulative(binsOf(distributionOf(values)), [bound])
      expect(count).toBeGreaterThanOrEqual(values.filter((value) => value <= bound).length)
      const above = bound * width + 0.001
      expect(count).toBeLessThanOrEqual(values.filter((value) => value <= above).length)
    }),
  )
})

test('what was not recorded has no bins and no quantile', () => {
  const bins = binsOf({ ...distributionOf([1]), histogram: null })
  expect(bins).toEqual([])
  expect(valueAt(bins, 0, 0.5)).toBeNull()
})
