import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fitScalability, type MeasuredSize, rateOf, type UniversalLaw } from './scalability.ts'

const measured = (replicas: number, rate: number, error = 0.03): MeasuredSize => ({
  replicas,
  rate,
  interval: [rate * (1 - error), rate * (1 + error)],
})

describe('the Universal Scalability Law', () => {
  test('is found again from exact measurements, and holds the truth in its interval', () => {
    const laws = fc.record({
      lambda: fc.double({ min: 1, max: 100, noNaN: true }),
      sigma: fc.double({ min: 0, max: 0.2, noNaN: true }),
      kappa: fc.double({ min: 0, max: 0.01, noNaN: true }),
    })
    fc.assert(
      fc.property(laws, (law: UniversalLaw) => {
        const sizes = [1, 2, 4, 8, 12].map((replicas) => measured(replicas, rateOf(law, replicas)))
        const { status, predict } = fitScalability(sizes, 'seed')
        expect(status).toBe('fits')
        for (const replicas of [3, 10, 16]) {
          const truth = rateOf(law, replicas)
          const { rate, interval } = predict?.(replicas) ?? { rate: 0, interval: [0, 0] }
          expect(rate / truth).toBeCloseTo(1, 1)
          expect(interval[0]).toBeLessThan(truth)
          expect(interval[1]).toBeGreaterThan(truth)
        }
      }),
      { numRuns: 30 },
    )
  })

  test('with two sizes takes kappa as 0 and passes through both', () => {
    const { law, message } = fitScalability([measured(1, 10), measured(3, 24)], 'seed')
    expect(law?.kappa).toBe(0)
    expect(rateOf(law ?? { lambda: 0, sigma: 0, kappa: 0 }, 3)).toBeCloseTo(24, 6)
    expect(message).toContain('kappa is taken as 0')
  })

  test('does not fit replicas that gain more than their number', () => {
    const sizes = [measured(1, 10), measured(2, 30), measured(4, 100)]
    expect(fitScalability(sizes, 'seed')).toMatchObject({ status: 'does not fit', law: null })
  })
})
