import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pairwise } from './pairwise.ts'

/** One to four dimensions of one to four values each. */
const dimensions = fc
  .array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 })
  .map((sizes) =>
    Object.fromEntries(
      sizes.map((size, at) => [`d${at}`, Array.from({ length: size }, (_, value) => value)]),
    ),
  )

describe('pairwise combinations', () => {
  test('show each value of a dimension with each value of every other', () => {
    fc.assert(
      fc.property(dimensions, fc.string(), (given, seed) => {
        const rows = pairwise(given, seed)
        for (const [one, ones] of Object.entries(given)) {
          for (const [other, others] of Object.entries(given)) {
            const pairs = new Set(rows.map((row) => `${row[one]} ${row[other]}`))
            expect(pairs.size).toBe(one === other ? ones.length : ones.length * others.length)
          }
        }
      }),
    )
  })

  test('are hardly more than the two largest dimensions need', () => {
    fc.assert(
      fc.property(dimensions, fc.string(), (given, seed) => {
        const sizes = Object.values(given).map(({ length }) => length)
        const [max = 1, next = 1] = sizes.toSorted((a, b) => b - a)
        expect(pairwise(given, seed).length).toBeLessThanOrEqual(max * next * 1.5 + 1)
      }),
    )
  })

  test('are four of three dimensions of two values, whatever the seed', () => {
    const given = { form: ['JSON', 'stream'], think: [false, true], input: ['text', 'items'] }
    fc.assert(
      fc.property(fc.string(), (seed) => {
        expect(pairwise(given, seed)).toHaveLength(4)
      }),
    )
  })

  test('are the same for the same seed, and others for another', () => {
    const given = { a: [1, 2, 3], b: [1, 2, 3], c: [1, 2, 3] }
    expect(pairwise(given, 'one')).toEqual(pairwise(given, 'one'))
    expect(pairwise(given, 'one')).not.toEqual(pairwise(given, 'two'))
  })

  test('of a dimension without values are none', () => {
    expect(pairwise({ a: [], b: [1] }, 'seed')).toEqual([])
  })
})
