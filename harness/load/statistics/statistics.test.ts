import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { quantileName, rankOf } from '../../../contract/averages.ts'
import { forAll } from '../../../contract/test-support/for-all.ts'
import { LatencyRecorder } from '../metrics/latency-recorder.ts'
import { normal } from '../test-support/records.ts'
import { conservation, littlesLaw, stampOrder } from './audits.ts'
import {
  kaplanMeierQuantile,
  type LifeTable,
  minimumSamples,
  quantileEstimate,
  quantileRanks,
  sampleOf,
} from './quantile-interval.ts'
import { binomialAtLeast, binomialCdf } from './shares.ts'
import {
  effectiveSampleSize,
  lag1Autocorrelation,
  mser5,
  spearman,
  steadyState,
} from './steady-state.ts'

const within = (min: number, max: number) => fc.double({ min, max, noNaN: true })

test('ranks of the 95 % interval are the nearest with 2.5 % error per side', () => {
  // P[B(5, 0.5) <= 0] = 3.1 % is more than 2.5 %.
  expect(quantileRanks(5, 0.5)).toEqual({ low: null, high: null })
  forAll(fc.integer({ min: 1, max: 3000 }), within(0.01, 0.99), (n, q) => {
    const { low, high } = quantileRanks(n, q)
    const [below, above] = [low ?? 0, high ?? n + 1]
    expect(binomialCdf(below - 1, n, q)).toBeLessThanOrEqual(0.025)
    expect(binomialCdf(below, n, q)).toBeGreaterThan(0.025)
    expect(binomialAtLeast(above, n, q)).toBeLessThanOrEqual(0.025)
    expect(binomialAtLeast(above - 1, n, q)).toBeGreaterThan(0.025)
  })
})

describe('the minimum sample', () => {
  test.each([
    [0.5, 6],
    [0.9, 30],
    [0.95, 60],
    [0.99, 300],
    [0.999, 3000],
    [0.01, 300],
  ])('of quantile %d is %d', (q, n) => expect(minimumSamples(q)).toBe(n))

  test('is stated if a quantile has too few values', () => {
    expect(quantileEstimate(sampleOf([1, 2, 3]), 0.999)).toEqual({
      ...{ q: 0.999, value: null, low: null, high: null },
      why: 'n is 3; p99.9 needs 3000',
    })
    expect([0.5, 0.975, 0.9999].map(quantileName)).toEqual(['p50', 'p97.5', 'p99.99'])
  })
})

describe('a quantile estimate', () => {
  const thousand = sampleOf(Array.from({ length: 1000 }, (_, i) => 1000 - i))

  test('has a wider interval for a smaller effective sample', () => {
    // Ranks 490 and 500 of 500: two values each.
    const wider = { value: 990, low: 979, high: 1000 }
    expect(quantileEstimate(thousand, 0.99, 500)).toMatchObject(wider)
  })

  test('lies within its interval, also with fewer effective values', () => {
    const values = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 30, maxLength: 200 })
    forAll(values, within(0.1, 0.9), within(0.05, 1), (all, q, share) => {
      const sample = sampleOf(all)
      const whole = quantileEstimate(sample, q)
      const fewer = quantileEstimate(sample, q, all.length * share)
      if (whole.value === null) return
      for (const { value, low, high } of [whole, fewer]) {
        expect(low ?? -1).toBeLessThanOrEqual(value ?? Number.NaN)
        expect(high ?? 51).toBeGreaterThanOrEqual(value ?? Number.NaN)
      }
    })
  })

  test('has the exact rank despite binary fractions', () => {
    expect(rankOf(0.99, 300)).toBe(297)
    expect(rankOf(0.07, 100)).toBe(7)
    expect(rankOf(0.5, 3)).toBe(2)
    expect([rankOf(0, 9), rankOf(1, 9)]).toEqual([1, 9])
  })
})

test('the binomial distribution is exactly 0 or 1 outside its range', () => {
  expect([binomialCdf(-1, 5, 0.3), binomialCdf(5, 5, 0.3)]).toEqual([0, 1])
  expect([binomialAtLeast(0, 5, 0.3), binomialAtLeast(6, 5, 0.3)]).toEqual([1, 0])
  expect([binomialCdf(3, 5, 0), binomialCdf(3, 5, 1)]).toEqual([1, 0])
})

/** Pascal's triangle: an independent way, exact enough for small n. */
function convolved(n: number, p: number): number[] {
  let row = [1]
  for (let i = 0; i < n; i++) {
    row = [...row, 0].map((term, k) => term * (1 - p) + (row[k - 1] ?? 0) * p)
  }
  return row
}

test('the binomial distribution is the convolution of n trials', () => {
  const trials = fc.integer({ min: 1, max: 400 })
  forAll(trials, within(0.001, 0.999), within(0, 1), (n, p, share) => {
    const k = Math.floor(share * n)
    const terms = convolved(n, p).slice(0, k + 1)
    const expected = terms.reduce((sum, term) => sum + term, 0)
    expect(binomialCdf(k, n, p)).toBeCloseTo(expected, 11)
    expect(binomialAtLeast(k + 1, n, p)).toBeCloseTo(1 - expected, 11)
  })
})

test('the binomial distribution keeps the digits of a small upper tail', () => {
  expect(binomialAtLeast(50, 50, 0.01) / 1e-100).toBeCloseTo(1, 9)
})

test('the binomial tails of ten million trials add up to 1', () => {
  const below = binomialCdf(9_900_000, 1e7, 0.99)
  expect(below + binomialAtLeast(9_900_001, 1e7, 0.99)).toBeCloseTo(1, 7)
  // Normal approximation with continuity: within 1/sqrt(n).
  expect(below).toBeCloseTo(0.5, 2)
})

const ended = (value: number, ended = 1): LifeTable => ({ value, ended, censored: 0 })
const censored = (value: number, censored = 1): LifeTable => ({ value, ended: 0, censored })

describe('Kaplan-Meier', () => {
  // Still running: 1 -> 5/6, 3 -> 5/6 * 3/4 = 0.625, 4 -> 0.625 * 2/3 = 0.417, 6 -> 0.
  const table = [ended(1), censored(2), ended(3), ended(4), censored(5), ended(6)]

  test.each([
    [0.1, 1],
    [0.3, 3],
    [0.5, 4],
    [0.6, 6],
    [1, 6],
  ])('quantile %d is %d', (q, value) => expect(kaplanMeierQuantile(table, q)).toBe(value))

  test('counts a value censored at a time as at risk then', () => {
    expect(kaplanMeierQuantile([{ value: 1, ended: 1, censored: 1 }, ended(2)], 0.4)).toBe(2)
  })

  test('has no quantile if most values are censored before it', () => {
    expect(kaplanMeierQuantile([ended(1), censored(2, 9)], 0.5)).toBeNull()
    expect(kaplanMeierQuantile([ended(1), censored(2, 9)], 0.1)).toBe(1)
    expect(kaplanMeierQuantile([], 0.5)).toBeNull()
  })
})

const counts = fc.array(fc.tuple(fc.nat(5), fc.nat(3)), { minLength: 1, maxLength: 40 })

test('Kaplan-Meier without censoring is the nearest rank', () => {
  forAll(counts, fc.integer({ min: 1, max: 100 }), (rows, percent) => {
    const table = rows.map(([n], value) => ended(value, n))
    const values = table.flatMap(({ value, ended: n }) => new Array<number>(n).fill(value))
    fc.pre(values.length > 0)
    const rank = rankOf(percent / 100, values.length)
    expect(kaplanMeierQuantile(table, percent / 100)).toBe(sampleOf(values).lowAt(rank))
  })
})

const series = (length: number, value: (index: number) => number) =>
  Array.from({ length }, (_, i) => value(i))

/** x(i) = rho x(i-1) + noise. */
function autoregressive(length: number, rho: number, seed: number): number[] {
  const noise = normal(seed)
  let last = 0
  return series(length, () => {
    last = rho * last + noise()
    return last
  })
}

describe('lag-1 autocorrelation', () => {
  test('of 1, 2, 3, 4 is 5/12', () => {
    // Deviations -1.5, -0.5, 0.5, 1.5: products 0.75 - 0.25 + 0.75 = 1.25, three pairs; variance 1.25.
    expect(lag1Autocorrelation([1, 2, 3, 4])).toBeCloseTo(1.25 / 3 / 1.25, 12)
  })

  test('is null for three values and for a constant series', () => {
    expect(lag1Autocorrelation([1, 2, 3])).toBeNull()
    expect(lag1Autocorrelation([5, 5, 5, 5, 5])).toBeNull()
  })

  test('of 0.5 leaves a third of the sample, a negative one all of it', () => {
    expect(effectiveSampleSize(300, 0.5)).toBeCloseTo(100, 9)
    expect(effectiveSampleSize(300, -0.5)).toBe(300)
    expect(effectiveSampleSize(300, null)).toBe(300)
    expect(effectiveSampleSize(300, 1)).toBe(1)
  })
})

describe('MSER-5', () => {
  test('does not settle on a series that rises to its end', () => {
    expect(mser5(series(500, (i) => i ** 3))).toEqual({ cut: 0, settled: false })
  })

  test('cuts nothing from a constant series and does not settle under 50 values', () => {
    expect(mser5(series(100, () => 4))).toEqual({ cut: 0, settled: true })
    expect(mser5(series(49, () => 4))).toEqual({ cut: 0, settled: false })
  })
})

/** The statistic itself, plainly: sum of squares over the square of the number of batches. */
function bestHalf(values: readonly number[], cut: number): number {
  const means = series(
    Math.floor(values.length / 5),
    (i) => values.slice(5 * i, 5 * i + 5).reduce((a, b) => a + b, 0) / 5,
  ).slice(cut / 5)
  const mean = means.reduce((a, b) => a + b, 0) / means.length
  return means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / means.length ** 2
}

test('MSER-5 minimizes its statistic over all cuts in the first half', () => {
  forAll(fc.array(fc.nat(100), { minLength: 50, maxLength: 150 }), (values) => {
    const { cut, settled } = mser5(values)
    if (!settled) return
    const batches = Math.floor(values.length / 5)
    const found = bestHalf(values, cut)
    for (let other = 0; other <= batches / 2; other++) {
      expect(found).toBeLessThanOrEqual(bestHalf(values, 5 * other) + 1e-9)
    }
  })
})

describe('steady state', () => {
  test('Spearman correlation with a tie matches a calculation by hand', () => {
    // Ranks 1, 2.5, 2.5, 4: deviations -1.5 0 0 1.5 times -1.5 -0.5 0.5 1.5 = 4.5; / sqrt(4.5 * 5).
    expect(spearman([10, 20, 20, 30])).toBeCloseTo(4.5 / Math.sqrt(22.5), 12)
    expect(spearman([3, 2, 1])).toBe(-1)
    expect(spearman([7, 7, 7])).toBe(0)
  })

  test('correlated noise is steady in at least 96 % of runs', () => {
    let steady = 0
    for (let seed = 0; seed < 300; seed++) {
      if (steadyState(autoregressive(1000, 0.5, seed)).verdict === 'steady') steady++
    }
    expect(steady).toBeGreaterThan(288)
  })

  test('a drift is a trend with a direction', () => {
    const noise = normal(5)
    expect(steadyState(series(1000, (i) => i / 100 + noise()))).toMatchObject({
      verdict: 'trend',
      message: expect.stringContaining('Still rising'),
    })
    expect(steadyState(series(60, (i) => i)).verdict).toBe('too short')
  })
})

describe("Little's law", () => {
  const flow = {
    ...{ windowNs: 60e9, inFlightNs: 100 * 60e9, inFlightAtStart: 98, inFlightAtEnd: 103 },
    ...{ ended: 3000, meanResidenceNs: 2e9, meanAgeNs: 1e9 },
  }

  test('passes with 50 requests per second of 2 s each and 100 in flight', () => {
    expect(littlesLaw(flow)).toEqual({
      ...{ name: 'littles-law', verdict: 'pass', expected: 100, observed: 100 },
      message:
        'Mean in flight 100.00, arrival rate times mean latency 100.00: they differ by 0.0 %; less than 5 % is allowed.',
    })
  })

  test.each([
    ['200 of 3000 requests are lost', { ended: 2800 }, 'fail'],
    ['140 of 3000 requests are lost', { ended: 2860 }, 'pass'],
    [
      'the window is three residence times',
      { windowNs: 6e9, inFlightNs: 600e9, ended: 300 },
      'not-applicable',
    ],
    ['nothing is in flight', { inFlightNs: 0, ended: 0 }, 'not-applicable'],
    [
      'a few take long and have not ended',
      { inFlightAtEnd: 99, ended: 2800, meanAgeNs: 20e9 },
      'not-applicable',
    ],
    [
      'the load grows through the window',
      { inFlightAtStart: 0, inFlightAtEnd: 400 },
      'not-applicable',
    ],
  ])('gives the expected verdict if %s', (_, more, verdict) => {
    expect(littlesLaw({ ...flow, ...more }).verdict).toBe(verdict)
  })
})

const { outcomes } = new LatencyRecorder()

test('an unaccounted request fails the conservation audit', () => {
  const counts = { ...outcomes, requests: 9, ok: 5, failed: 1, open: 1, abort: 1 }
  const message = expect.stringMatching(/does not hold: 1 unaccounted for\.$/)
  expect(conservation(counts)).toMatchObject({ verdict: 'fail', message })
  for (const other of ['shed', 'abort', 'churn', 'slow-reader', 'race'] as const) {
    expect(conservation({ ...counts, [other]: counts[other] + 1 }).verdict).toBe('pass')
  }
})

test('one timestamp out of order fails the audit of the clocks', () => {
  expect(stampOrder({ ...outcomes, requests: 10 }).verdict).toBe('pass')
  const disordered = stampOrder({ ...outcomes, requests: 10, disordered: 1 })
  expect(disordered).toMatchObject({ verdict: 'fail', observed: 1 })
})
