import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normal } from '../test-support/random.ts'
import { batchMeans, effectiveSampleSize, lag1Autocorrelation } from './autocorrelation.ts'
import { mser5, spearman, steadyState } from './steady-state.ts'

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

describe('autocorrelation', () => {
  test('of 1, 2, 3, 4 is 5/12', () => {
    // Deviations -1.5, -0.5, 0.5, 1.5: products 0.75 - 0.25 + 0.75 = 1.25, three pairs; variance 1.25.
    expect(lag1Autocorrelation([[1, 2, 3, 4]])).toBeCloseTo(1.25 / 3 / 1.25, 12)
  })

  test('does not pair across runs', () => {
    expect(
      lag1Autocorrelation([
        [1, 2],
        [3, 4],
      ]),
    ).toBeNull()
    expect(lag1Autocorrelation([[5, 5, 5, 5, 5]])).toBeNull()
  })

  test('of a first-order series is its coefficient', () => {
    for (const rho of [0, 0.3, 0.8]) {
      expect(lag1Autocorrelation([autoregressive(20_000, rho, 3)])).toBeCloseTo(rho, 1)
    }
  })

  test('0.5 leaves a third of the sample; a negative one is not credited', () => {
    expect(effectiveSampleSize(300, 0.5)).toBeCloseTo(100, 9)
    expect(effectiveSampleSize(300, -0.5)).toBe(300)
    expect(effectiveSampleSize(300, null)).toBe(300)
    expect(effectiveSampleSize(300, 1)).toBe(1)
  })
})

describe('batch means', () => {
  test('of 1..100 are 3, 8, …, 98', () => {
    const result = batchMeans(series(100, (i) => i + 1))
    expect(result?.means.slice(0, 3)).toEqual([3, 8, 13])
    expect(result?.mean).toBe(50.5)
    // Standard deviation of 3, 8, …, 98 is 29.58; over the root of 20, times 2.093.
    expect(result?.halfWidth).toBeCloseTo((29.5804 / Math.sqrt(20)) * 2.093, 3)
  })

  test('99 values are too few', () => expect(batchMeans(series(99, (i) => i))).toBeNull())

  test('enclose the mean of a correlated series, where single values would not', () => {
    let enclosed = 0
    for (let seed = 0; seed < 200; seed++) {
      const result = batchMeans(autoregressive(2000, 0.7, seed))
      if (result !== null && Math.abs(result.mean) <= result.halfWidth) enclosed++
    }
    expect(enclosed).toBeGreaterThan(180)
    expect(enclosed).toBeLessThan(199)
  })
})

describe('MSER-5', () => {
  test('cuts a step where it is', () => {
    const noise = normal(1)
    const values = series(500, (i) => (i < 100 ? 10 : 0) + noise())
    const { cut, settled } = mser5(values)
    expect(settled).toBe(true)
    expect(cut).toBeGreaterThanOrEqual(100)
    expect(cut).toBeLessThan(150)
  })

  test('cuts next to nothing of a steady series', () => {
    let kept = 0
    for (let seed = 0; seed < 50; seed++) if (mser5(series(500, normal(seed))).cut <= 125) kept++
    expect(kept).toBeGreaterThan(40)
  })

  test('a series that rises to its end never settles', () => {
    expect(mser5(series(500, (i) => i ** 3))).toEqual({ cut: 0, settled: false })
  })

  test('a constant series has no warm-up; under 50 values nothing is said', () => {
    expect(mser5(series(100, () => 4))).toEqual({ cut: 0, settled: true })
    expect(mser5(series(49, () => 4))).toEqual({ cut: 0, settled: false })
  })

  test('neither scale nor offset moves the cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 50, maxLength: 200 }),
        fc.integer({ min: -500, max: 500 }),
        (values, offset) => {
          const moved = values.map((value) => 4 * value + offset)
          expect(bestHalf(moved, mser5(moved).cut)).toBeCloseTo(
            bestHalf(moved, mser5(values).cut),
            6,
          )
        },
      ),
    )
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

test('MSER-5 is the smallest statistic of all cuts in the first half', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 50, maxLength: 150 }),
      (values) => {
        const { cut, settled } = mser5(values)
        if (!settled) return
        const batches = Math.floor(values.length / 5)
        const found = bestHalf(values, cut)
        for (let other = 0; other <= batches / 2; other++) {
          expect(found).toBeLessThanOrEqual(bestHalf(values, 5 * other) + 1e-9)
        }
      },
    ),
  )
})

describe('steady state', () => {
  test('Spearman with a tie, by hand', () => {
    // Ranks 1, 2.5, 2.5, 4: deviations -1.5 0 0 1.5 times -1.5 -0.5 0.5 1.5 = 4.5; / sqrt(4.5 * 5).
    expect(spearman([10, 20, 20, 30])).toBeCloseTo(4.5 / Math.sqrt(22.5), 12)
    expect(spearman([3, 2, 1])).toBe(-1)
    expect(spearman([7, 7, 7])).toBe(0)
  })

  test('only order counts', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: -30, max: 30 }), { minLength: 3 }), (values) => {
        expect(spearman(values.map((value) => Math.exp(value / 10)))).toBeCloseTo(
          spearman(values),
          12,
        )
        expect(spearman(values.toReversed())).toBeCloseTo(-spearman(values), 12)
      }),
    )
  })

  test('noise is steady in 99 of 100 runs, correlated noise too', () => {
    let steady = 0
    for (let seed = 0; seed < 300; seed++) {
      if (steadyState(autoregressive(1000, 0.5, seed)).verdict === 'steady') steady++
    }
    expect(steady).toBeGreaterThan(288)
  })

  test('a drift is a trend, and says which way', () => {
    const noise = normal(5)
    expect(steadyState(series(1000, (i) => i / 100 + noise()))).toMatchObject({
      verdict: 'trend',
      message: expect.stringContaining('Still rising'),
    })
    expect(steadyState(series(60, (i) => i)).verdict).toBe('too short')
  })
})
