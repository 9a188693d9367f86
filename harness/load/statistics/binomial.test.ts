import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { binomialAtLeast, binomialCdf } from './binomial.ts'

describe('by hand', () => {
  test('two heads at most in four throws are 11 of 16', () => {
    expect(binomialCdf(2, 4, 0.5)).toBeCloseTo(11 / 16, 14)
    expect(binomialAtLeast(3, 4, 0.5)).toBeCloseTo(5 / 16, 14)
  })

  test('none of 299 at 1 % is 0.99 to the 299th', () => {
    expect(binomialCdf(0, 299, 0.01)).toBeCloseTo(0.99 ** 299, 14)
    expect(binomialAtLeast(1, 299, 0.01)).toBeCloseTo(1 - 0.99 ** 299, 14)
  })

  test('the ends are certain', () => {
    expect([binomialCdf(-1, 5, 0.3), binomialCdf(5, 5, 0.3)]).toEqual([0, 1])
    expect([binomialAtLeast(0, 5, 0.3), binomialAtLeast(6, 5, 0.3)]).toEqual([1, 0])
    expect([binomialCdf(3, 5, 0), binomialCdf(3, 5, 1)]).toEqual([1, 0])
  })
})

/** Pascal's triangle: an independent way, exact enough for small n. */
function convolved(n: number, p: number): number[] {
  let row = [1]
  for (let i = 0; i < n; i++) {
    row = [...row, 0].map((term, k) => term * (1 - p) + (row[k - 1] ?? 0) * p)
  }
  return row
}

test('agrees with the convolution of n trials', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 400 }),
      fc.double({ min: 0.001, max: 0.999, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (n, p, share) => {
        const k = Math.floor(share * n)
        const expected = convolved(n, p)
          .slice(0, k + 1)
          .reduce((sum, term) => sum + term, 0)
        expect(binomialCdf(k, n, p)).toBeCloseTo(expected, 11)
        expect(binomialAtLeast(k + 1, n, p)).toBeCloseTo(1 - expected, 11)
      },
    ),
  )
})

test('a small upper tail keeps its digits', () => {
  expect(binomialAtLeast(50, 50, 0.01) / 1e-100).toBeCloseTo(1, 9)
})

test('the two tails of ten million trials make one', () => {
  const below = binomialCdf(9_900_000, 1e7, 0.99)
  expect(below + binomialAtLeast(9_900_001, 1e7, 0.99)).toBeCloseTo(1, 7)
  // Normal approximation with continuity: within 1/sqrt(n).
  expect(below).toBeCloseTo(0.5, 2)
})
