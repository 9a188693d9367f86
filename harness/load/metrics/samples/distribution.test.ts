import { describe, expect, test } from 'vitest'
import { distributionOf } from './distribution.ts'
import { Histogram } from './histogram.ts'

function bucketsOf(milliseconds: readonly number[]): Histogram {
  const buckets = new Histogram()
  for (const value of milliseconds) buckets.add(value * 1e6)
  return buckets
}

const hundred = Array.from({ length: 100 }, (_, i) => i + 1)
const quantile = (found: ReturnType<typeof distributionOf>, q: number) =>
  found?.quantiles.find((row) => row.q === q)

describe('a distribution', () => {
  test('of 1 to 100 ms', () => {
    const found = distributionOf(bucketsOf(hundred), undefined, 1)
    expect(found).toMatchObject({
      count: 100,
      censored: 0,
      effective: 100,
      min: 1,
      mean: 50.5,
      max: 100,
    })
    // Ranks of the 95 % interval of the median of 100: 40 and 61, up to a thousandth.
    const median = quantile(found, 0.5)
    expect(median?.value).toBeCloseTo(50, 1)
    expect(median?.low).toBeCloseTo(40, 1)
    expect(median?.high).toBeCloseTo(61, 1)
    expect(quantile(found, 0.99)).toEqual({
      ...{ q: 0.99, value: null, low: null, high: null },
      why: 'n is 100; p99 takes 300',
    })
    expect(found?.histogram).toMatchObject({ unitNs: 1000, digits: 3 })
  })

  test('correlation widens the interval', () => {
    const median = quantile(distributionOf(bucketsOf(hundred), undefined, 0.25), 0.5)
    expect(median?.value).toBeCloseTo(50, 1)
    // Ranks 8 and 18 of 25, stretched by 4: 29 and 72.
    expect(median?.low).toBeCloseTo(29, 1)
    expect(median?.high).toBeCloseTo(72, 0)
  })

  test('those that are still running make it slower, not faster', () => {
    // 60 took 1 to 60 ms; 40 had been running for 30 ms when the run ended.
    const found = distributionOf(
      bucketsOf(hundred.slice(0, 60)),
      bucketsOf(new Array(40).fill(30)),
      1,
    )
    expect(found).toMatchObject({ count: 60, censored: 40, mean: 30.5, max: 60 })
    // After 30 ms 0.7 still run; the 30 left of 60 take 0.7/30 each: 0.5 is passed at the ninth.
    expect(quantile(found, 0.5)?.value).toBeCloseTo(39, 1)
    expect(
      quantile(distributionOf(bucketsOf(hundred.slice(0, 60)), undefined, 1), 0.5)?.value,
    ).toBeCloseTo(30, 1)
  })

  test('what most were still waiting for has no quantile', () => {
    const found = distributionOf(bucketsOf([1, 2]), bucketsOf(new Array(98).fill(3)), 1)
    expect(quantile(found, 0.5)).toEqual({
      ...{ q: 0.5, value: null, low: null, high: null },
      why: '98 of 100 were still running before it',
    })
  })

  test('of nothing is none', () => expect(distributionOf(undefined, new Histogram(), 1)).toBeNull())
})
