import fc from 'fast-check'
import { decodeFromCompressedBase64, Float64Histogram } from 'hdr-histogram-js'
import { describe, expect, test } from 'vitest'
import { rankOf } from '../../../../contract/averages.ts'
import { forAll, forSome } from '../../../../contract/test-support/for-all.ts'
import { sampleOf } from '../../statistics/quantile-interval.ts'
import { BottomKSample, type SampledRequest } from '../run-metrics.ts'
import { distributionOf, toHdr } from './distribution.ts'
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

describe('a histogram', () => {
  test('has a resolution of 1 us up to 2 ms, then of three digits', () => {
    const buckets = bucketsOf([2047, 2049, 500_000])
    // 2048 and 2049 share a bucket; at half a second they are 256 us wide. The ends are exact.
    expect(buckets.buckets()).toEqual([
      { low: 2047e3, high: 2047e3, count: 1 },
      { low: 2048e3, high: 2049e3, count: 1 },
      { low: 499_968e3, high: 500_000e3, count: 1 },
    ])
  })

  test('clamps values to the range from 0 to an hour', () => {
    const buckets = new Histogram()
    buckets.add(5e12)
    buckets.add(-7)
    expect([buckets.minNs, buckets.maxNs]).toEqual([0, 3.6e12])
  })

  test('has no minimum, maximum or mean if it is empty', () => {
    const { count, minNs, maxNs, meanNs, deviationNs } = new Histogram()
    expect([count, minNs, maxNs, meanNs, deviationNs]).toEqual([0, null, null, null, null])
  })

  test('has each rank within a thousandth of the exact value', () => {
    forAll(values, (units) => {
      const buckets = bucketsOf(units)
      const exact = sampleOf(units.map((value) => value * unitNs))
      for (let rank = 1; rank <= units.length; rank++) {
        const value = exact.lowAt(rank)
        expect(buckets.lowAt(rank)).toBeLessThanOrEqual(value)
        expect(buckets.highAt(rank)).toBeGreaterThanOrEqual(value)
        expect(buckets.highAt(rank) - buckets.lowAt(rank)).toBeLessThanOrEqual(value / 1000)
      }
    })
  })

  test('keeps exact minimum, maximum and mean', () => {
    forAll(values, (units) => {
      const buckets = bucketsOf(units)
      expect(buckets.minNs).toBe(Math.min(...units) * unitNs)
      expect(buckets.maxNs).toBe(Math.max(...units) * unitNs)
      const sum = units.reduce((total, value) => total + value, 0)
      expect(buckets.meanNs).toBeCloseTo((sum / units.length) * unitNs, 0)
    })
  })

  test('counts values over a limit, inclusive or not', () => {
    const buckets = bucketsOf([99_000, 100_000, 101_000])
    expect(buckets.countOver(100e6, false)).toBe(2)
    expect(buckets.countOver(100e6, true)).toBe(1)
    expect(buckets.countOver(1e9, true)).toBe(0)
  })

  test('merges values that agree in two digits, for charts', () => {
    const buckets = new Histogram(twoDigits)
    buckets.add(1e9)
    buckets.add(0.9999e9)
    expect(buckets.buckets()).toHaveLength(1)
  })
})

test('the HDR V2 export decodes in hdr-histogram-js to the same ranks and buckets', () => {
  forAll(values, fc.integer({ min: 1, max: 100 }), (units, percent) => {
    const buckets = bucketsOf(units)
    const theirs = decodeFromCompressedBase64(toHdr(buckets))
    expect(theirs.totalCount).toBe(units.length)
    const rank = rankOf(percent / 100, units.length)
    // Theirs is the upper end of the bucket, if ours knows the largest value.
    const ours = Math.min(buckets.highAt(rank) / unitNs, Math.max(...units))
    expect(Math.min(theirs.getValueAtPercentile(percent), Math.max(...units))).toBe(ours)
    const library = new Float64Histogram(1, maxUnits, 3)
    const lows = new Set(units.map((value) => library.lowestEquivalentValue(value)))
    expect(new Set(buckets.counts.keys())).toEqual(lows)
  })
})

const sampled = (index: number): SampledRequest => ({
  ...{ index, step: 0, plannedNs: index * 1e6 },
  ...{ ttftNs: null, e2eNs: null, good: true, failed: false, watched: [] },
})

function reservoirOf(indices: Iterable<number>): BottomKSample {
  const reservoir = new BottomKSample()
  for (const index of indices) reservoir.add(sampled(index))
  return reservoir
}

const indicesOf = (reservoir: BottomKSample) =>
  reservoir.blocks().map((run) => run.map(({ index }) => index))
const first = (count: number) => Array.from({ length: count }, (_, index) => index)

test('8,192 requests are all sampled, in blocks of 64 in plan order', () => {
  const runs = indicesOf(reservoirOf(first(8192).reverse()))
  expect(runs.flat()).toEqual(first(8192))
  expect(runs.every((run) => run.length === 64)).toBe(true)
})

test('a sample of more requests keeps 128 whole blocks from all over the plan', () => {
  const runs = indicesOf(reservoirOf(first(64 * 1000)))
  expect(runs).toHaveLength(128)
  for (const run of runs) expect(run).toEqual(first(64).map((offset) => (run[0] ?? 0) + offset))
  const inFirstHalf = runs.filter(([index = 0]) => index < 32_000).length
  // 64 expected, standard deviation 5.3.
  expect(inFirstHalf).toBeGreaterThan(42)
  expect(inFirstHalf).toBeLessThan(86)
})

test('the sample does not depend on workers or order', () => {
  const whole = JSON.stringify(indicesOf(reservoirOf(first(64 * 200))))
  const cuts = fc.record({
    workers: fc.integer({ min: 1, max: 5 }),
    stride: fc.constantFrom(1, 7, 77, 4111),
  })
  forSome(15, cuts, ({ workers, stride }) => {
    const merged = new BottomKSample()
    for (let worker = 0; worker < workers; worker++) {
      // A stride that has no divisor in common with the length visits every index once.
      const own = first(64 * 200)
        .map((position) => (position * stride) % (64 * 200))
        .filter((index) => index % workers === worker)
      for (const one of reservoirOf(own).blocks().flat()) merged.add(one)
    }
    expect(JSON.stringify(indicesOf(merged)) === whole).toBe(true)
  })
})

const bucketsOfMs = (milliseconds: readonly number[]) =>
  bucketsOf(milliseconds.map((value) => 1000 * value))
const hundred = Array.from({ length: 100 }, (_, i) => i + 1)
const quantile = (found: ReturnType<typeof distributionOf>, q: number) =>
  found?.quantiles.find((row) => row.q === q)

describe('a distribution', () => {
  test('of 1 to 100 ms has its quantiles and their intervals', () => {
    const found = distributionOf(bucketsOfMs(hundred), new Histogram(), () => 1)
    const counts = { count: 100, censored: 0, effective: 100 }
    expect(found).toMatchObject({ ...counts, min: 1, mean: 50.5, max: 100 })
    // Ranks of the 95 % interval of the median of 100: 40 and 61, up to a thousandth.
    const median = quantile(found, 0.5)
    expect(median?.value).toBeCloseTo(50, 1)
    expect(median?.low).toBeCloseTo(40, 1)
    expect(median?.high).toBeCloseTo(61, 1)
    expect(quantile(found, 0.99)).toEqual({
      ...{ q: 0.99, value: null, low: null, high: null },
      why: 'n is 100; p99 needs 300',
    })
    expect(found?.histogram).toMatchObject({ unitNs: 1000, digits: 3 })
  })

  test('has wider intervals if values are correlated', () => {
    const median = quantile(
      distributionOf(bucketsOfMs(hundred), new Histogram(), () => 0.25),
      0.5,
    )
    expect(median?.value).toBeCloseTo(50, 1)
    // Ranks 8 and 18 of 25, stretched by 4: 29 and 72.
    expect(median?.low).toBeCloseTo(29, 1)
    expect(median?.high).toBeCloseTo(72, 0)
  })

  test('has higher quantiles if requests are still running', () => {
    // 60 took 1 to 60 ms; 40 had been running for 30 ms when the run ended.
    const sixty = bucketsOfMs(hundred.slice(0, 60))
    const found = distributionOf(sixty, bucketsOfMs(new Array(40).fill(30)), () => 1)
    expect(found).toMatchObject({ count: 60, censored: 40, mean: 30.5, max: 60 })
    // After 30 ms 0.7 still run; the 30 left of 60 take 0.7/30 each: 0.5 is passed at the ninth.
    expect(quantile(found, 0.5)?.value).toBeCloseTo(39, 1)
    expect(
      quantile(
        distributionOf(sixty, new Histogram(), () => 1),
        0.5,
      )?.value,
    ).toBeCloseTo(30, 1)
  })

  test('has no quantile if most requests were still running before it', () => {
    const found = distributionOf(bucketsOfMs([1, 2]), bucketsOfMs(new Array(98).fill(3)), () => 1)
    expect(quantile(found, 0.5)).toEqual({
      ...{ q: 0.5, value: null, low: null, high: null },
      why: '98 of 100 were still running before it',
    })
  })

  test('is null without values', () =>
    expect(distributionOf(new Histogram(), new Histogram(), () => 1)).toBeNull())
})
