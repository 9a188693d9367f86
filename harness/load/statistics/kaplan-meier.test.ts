import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { kaplanMeierQuantile, type LifeTable } from './kaplan-meier.ts'
import { rankOf, sampleOf } from './quantile-interval.ts'

const ended = (value: number, ended = 1): LifeTable => ({ value, ended, censored: 0 })
const censored = (value: number, censored = 1): LifeTable => ({ value, ended: 0, censored })

describe('by hand', () => {
  // Still running: 1 -> 5/6, 3 -> 5/6 * 3/4 = 0.625, 4 -> 0.625 * 2/3 = 0.417, 6 -> 0.
  const table = [ended(1), censored(2), ended(3), ended(4), censored(5), ended(6)]

  test.each([
    [0.1, 1],
    [0.3, 3],
    [0.5, 4],
    [0.6, 6],
    [1, 6],
  ])('quantile %d is %d', (q, value) => expect(kaplanMeierQuantile(table, q)).toBe(value))

  test('who is censored at a value is at risk there', () => {
    expect(kaplanMeierQuantile([{ value: 1, ended: 1, censored: 1 }, ended(2)], 0.4)).toBe(2)
  })

  test('what most were still waiting for is not known', () => {
    expect(kaplanMeierQuantile([ended(1), censored(2, 9)], 0.5)).toBeNull()
    expect(kaplanMeierQuantile([ended(1), censored(2, 9)], 0.1)).toBe(1)
    expect(kaplanMeierQuantile([], 0.5)).toBeNull()
  })
})

const counts = fc.array(fc.tuple(fc.nat(5), fc.nat(3)), { minLength: 1, maxLength: 40 })

test('without censoring it is the nearest rank', () => {
  fc.assert(
    fc.property(counts, fc.integer({ min: 1, max: 100 }), (rows, percent) => {
      const table = rows.map(([n], value) => ended(value, n))
      const values = table.flatMap(({ value, ended: n }) => new Array<number>(n).fill(value))
      fc.pre(values.length > 0)
      const rank = rankOf(percent / 100, values.length)
      expect(kaplanMeierQuantile(table, percent / 100)).toBe(sampleOf(values).lowAt(rank))
    }),
  )
})

test('a request that is still running never makes a quantile smaller', () => {
  fc.assert(
    fc.property(counts, fc.integer({ min: 1, max: 99 }), (rows, percent) => {
      const table = rows.map(([n, c], value) => ({ value, ended: n, censored: c }))
      const without = kaplanMeierQuantile(
        table.map((row) => ({ ...row, censored: 0 })),
        percent / 100,
      )
      const found = kaplanMeierQuantile(table, percent / 100)
      expect(found ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(without ?? 0)
    }),
  )
})
