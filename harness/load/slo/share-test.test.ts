import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { uniform } from '../test-support/random.ts'
import { decideShare, minRequests, shareInterval } from './share-test.ts'

/** Counts at 95 % and 99 % confidence; 459 and 662 are also printed by MLPerf LoadGen. */
describe('fewest requests', () => {
  test.each([
    { q: 'p90', allowed: 0.1, at95: [29, 46, 61, 103, 167], at99: [44, 64, 81, 127, 197] },
    { q: 'p95', allowed: 0.05, at95: [59, 93, 124, 208, 336], at99: [90, 130, 165, 259, 398] },
    {
      q: 'p99',
      allowed: 0.01,
      at95: [299, 473, 628, 1049, 1693],
      at99: [459, 662, 838, 1307, 2010],
    },
    {
      q: 'p99.9',
      allowed: 0.001,
      at95: [2995, 4742, 6294, 10511, 16959],
      at99: [4603, 6636, 8403, 13105, 20140],
    },
  ])('of $q with 0, 1, 2, 5 and 10 over', ({ allowed, at95, at99 }) => {
    expect([0, 1, 2, 5, 10].map((over) => minRequests(over, allowed, 0.95))).toEqual(at95)
    expect([0, 1, 2, 5, 10].map((over) => minRequests(over, allowed))).toEqual(at99)
  })
})

describe('a decision', () => {
  test('p99 with none over is met at 459 and not before', () => {
    expect(decideShare(458, 0, 0.01)).toEqual({ verdict: 'undecided', needed: 1 })
    expect(decideShare(459, 0, 0.01)).toEqual({ verdict: 'met', needed: null })
    expect(decideShare(459, 1, 0.01)).toEqual({ verdict: 'undecided', needed: 662 - 459 })
  })

  test('p50 with 7 of 7 over is missed: 1 of 128', () => {
    expect(decideShare(7, 7, 0.5).verdict).toBe('missed')
    expect(decideShare(6, 6, 0.5).verdict).toBe('undecided')
  })

  test('before the first request, all are needed', () => {
    expect(decideShare(0, 0, 0.05)).toEqual({ verdict: 'undecided', needed: 90 })
  })

  test('where half are independent, it takes twice as many', () => {
    expect(decideShare(800, 0, 0.01, 0.5)).toEqual({ verdict: 'undecided', needed: 118 })
    expect(decideShare(918, 0, 0.01, 0.5).verdict).toBe('met')
  })

  const share = fc.double({ min: 0.001, max: 0.5, noNaN: true })
  const counts = fc.nat(3000).chain((n) => fc.tuple(fc.constant(n), fc.nat(n)))

  test('what is said to be needed is enough, and one less is not', () => {
    fc.assert(
      fc.property(counts, share, ([n, over], allowed) => {
        const { needed } = decideShare(n, over, allowed)
        if (needed === null) return
        expect(decideShare(n + needed, over, allowed).verdict).toBe('met')
        expect(decideShare(n + needed - 1, over, allowed).verdict).not.toBe('met')
      }),
    )
  })

  test('one more over the limit never turns missed to met', () => {
    const order = { met: 0, undecided: 1, missed: 2 }
    fc.assert(
      fc.property(counts, share, ([n, over], allowed) => {
        fc.pre(over < n)
        const before = order[decideShare(n, over, allowed).verdict]
        expect(order[decideShare(n, over + 1, allowed).verdict]).toBeGreaterThanOrEqual(before)
      }),
    )
  })

  test('is wrong in at most 1 of 100 runs at the limit itself', () => {
    const random = uniform(11)
    const verdicts = Array.from({ length: 3000 }, () => {
      const over = Array.from({ length: 700 }, random).filter((value) => value < 0.05).length
      return decideShare(700, over, 0.05).verdict
    })
    for (const verdict of ['met', 'missed']) {
      // 30 expected at most; 49 is three and a half standard deviations above.
      expect(verdicts.filter((one) => one === verdict).length).toBeLessThan(49)
    }
  })
})

test('the interval of a share is that of Clopper and Pearson', () => {
  // None of 20: 1 - 0.025 ** (1 / 20); 10 of 100 from their tables.
  expect(shareInterval(20, 0)).toEqual({ low: 0, high: expect.closeTo(0.16843, 5) })
  expect(shareInterval(20, 20)).toEqual({ low: expect.closeTo(0.83157, 5), high: 1 })
  const tenth = shareInterval(100, 10)
  expect(tenth.low).toBeCloseTo(0.049, 4)
  expect(tenth.high).toBeCloseTo(0.1762, 4)
})
