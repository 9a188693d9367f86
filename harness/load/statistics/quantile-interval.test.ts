import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { uniform } from '../test-support/random.ts'
import {
  minimumSamples,
  nameOf,
  quantileEstimate,
  quantileRanks,
  rankOf,
  sampleOf,
} from './quantile-interval.ts'

/** Mosteller & Rourke's and everybody's tables of ranks, 95 %. */
describe('ranks of the 95 % interval', () => {
  test.each([
    // P[B(10, 0.5) <= 1] = 11/1024 = 1.07 %, <= 2 would be 5.5 %.
    { n: 10, q: 0.5, low: 2, high: 9 },
    // P[B(5, 0.5) <= 0] = 3.1 % is more than 2.5 %.
    { n: 5, q: 0.5, low: null, high: null },
    { n: 6, q: 0.5, low: 1, high: 6 },
    { n: 300, q: 0.99, low: 293, high: null },
    { n: 500, q: 0.99, low: 490, high: 500 },
    { n: 1000, q: 0.99, low: 983, high: 997 },
  ])('$q of $n: $low to $high', ({ n, q, low, high }) => {
    expect(quantileRanks(n, q)).toEqual({ low, high })
  })

  test('mirror at the median', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3000 }),
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        (n, q) => {
          const { low, high } = quantileRanks(n, q)
          const mirrored = quantileRanks(n, 1 - q)
          expect(mirrored.low).toBe(high === null ? null : n + 1 - high)
          expect(mirrored.high).toBe(low === null ? null : n + 1 - low)
        },
      ),
    )
  })

  test('enclose the true quantile in 95 of 100 samples or more', () => {
    const random = uniform(7)
    let enclosed = 0
    for (let run = 0; run < 2000; run++) {
      const sample = sampleOf(Array.from({ length: 400 }, random))
      const { low, high } = quantileEstimate(sample, 0.9)
      if (low !== null && high !== null && low <= 0.9 && 0.9 <= high) enclosed++
    }
    expect(enclosed).toBeGreaterThanOrEqual(1900)
    // The ranks are discrete; an interval that never misses would be no interval of 95 %.
    expect(enclosed).toBeLessThan(1970)
  })
})

describe('the smallest sample', () => {
  test.each([
    [0.5, 6],
    [0.9, 30],
    [0.95, 60],
    [0.99, 300],
    [0.999, 3000],
    [0.01, 300],
  ])('of quantile %d is %d', (q, n) => expect(minimumSamples(q)).toBe(n))

  test('is where the largest value exceeds the quantile with 95 %', () => {
    for (const q of [0.9, 0.95, 0.99, 0.999]) {
      expect(q ** minimumSamples(q)).toBeLessThanOrEqual(0.05)
      expect(q ** (minimumSamples(q) * 0.93)).toBeGreaterThan(0.05)
    }
  })

  test('is asked for by name', () => {
    expect(quantileEstimate(sampleOf([1, 2, 3]), 0.999)).toEqual({
      q: 0.999,
      value: null,
      low: null,
      high: null,
      why: 'n is 3; p99.9 takes 3000',
    })
    expect([0.5, 0.975, 0.9999].map(nameOf)).toEqual(['p50', 'p97.5', 'p99.99'])
  })
})

describe('an estimate', () => {
  const thousand = sampleOf(Array.from({ length: 1000 }, (_, i) => 1000 - i))

  test('of 1..1000 is its rank', () => {
    expect(quantileEstimate(thousand, 0.99)).toMatchObject({ value: 990, low: 983, high: 997 })
  })

  test('stretches the ranks of the effective sample over all', () => {
    // Ranks 490 and 500 of 500: two values each.
    expect(quantileEstimate(thousand, 0.99, 500)).toMatchObject({
      value: 990,
      low: 979,
      high: 1000,
    })
  })

  test('lies in its interval, and fewer effective values never narrow it', () => {
    const values = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 30, maxLength: 200 })
    fc.assert(
      fc.property(
        values,
        fc.double({ min: 0.1, max: 0.9, noNaN: true }),
        fc.double({ min: 0.05, max: 1, noNaN: true }),
        (all, q, share) => {
          const sample = sampleOf(all)
          const whole = quantileEstimate(sample, q)
          const fewer = quantileEstimate(sample, q, all.length * share)
          if (whole.value === null) return
          for (const { value, low, high } of [whole, fewer]) {
            expect(low ?? -1).toBeLessThanOrEqual(value ?? Number.NaN)
            expect(high ?? 51).toBeGreaterThanOrEqual(value ?? Number.NaN)
          }
        },
      ),
    )
  })

  test('the rank is not moved by binary fractions', () => {
    expect(rankOf(0.99, 300)).toBe(297)
    expect(rankOf(0.07, 100)).toBe(7)
    expect(rankOf(0.5, 3)).toBe(2)
    expect([rankOf(0, 9), rankOf(1, 9)]).toEqual([1, 9])
  })
})
