import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forAll } from '../../../contract/test-support/for-all.ts'
import { coveringRows, pairsOf, plain } from './covering-rows.ts'
import { listedChatIds } from './read.ts'

/** One to four dimensions of one to four values each. */
const dimensions = fc
  .array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 })
  .map((sizes) =>
    Object.fromEntries(
      sizes.map((size, at) => [`d${at}`, Array.from({ length: size }, (_, value) => `v${value}`)]),
    ),
  )

const full = { depth: 'full', count: 40 } as const

describe('covering rows', () => {
  test('include each pair of values at depth full', () => {
    forAll(dimensions, fc.string(), (given, seed) => {
      const rows = coveringRows(given, { ...full, seed })
      expect([...pairsOf(given)].filter((pair) => !pairsOf(given, rows).has(pair))).toEqual([])
      expect(rows.length).toBeLessThanOrEqual(full.count)
    })
  })

  test('avoid hiding values in pairs, and repeat pairs with telling values', () => {
    const given = {
      ...{ text: [plain, 'of digits', 'like JSON'], lines: [plain, 'LF', 'CRLF'] },
      ...{ form: [plain, 'stream'], max_tokens: [plain, '1', '7'] },
    }
    const telling = { text: [plain, 'like JSON'], max_tokens: [plain] }
    const rows = coveringRows(given, { ...full, seed: '', telling })
    expect(rows.filter(({ text, lines }) => text === 'of digits' && lines !== plain)).toEqual([])
    expect(pairsOf(given)).toEqual(pairsOf(given, rows))
    const others = { ...given, ...telling }
    const pairs = pairsOf(
      others,
      rows.filter(({ text, max_tokens }) => text !== 'of digits' && max_tokens === plain),
    )
    expect(pairs).toEqual(pairsOf(others))
  })

  test.each(['quick', 'normal'] as const)(
    'include each value at depth %s, independent of the seed',
    (depth) => {
      forAll(dimensions, fc.string(), (given, seed) => {
        const rows = coveringRows(given, { depth, count: 5, seed })
        for (const [name, values] of Object.entries(given)) {
          expect(new Set(rows.map((row) => row[name]))).toEqual(new Set(values))
        }
        expect(rows).toEqual(coveringRows(given, { depth, count: 5, seed: 'other' }))
      })
    },
  )

  test('start with the plain row and are minimal at depth quick', () => {
    const given = { a: ['none', 'some', 'all'], b: ['none', 'some'] }
    for (const depth of ['quick', 'normal', 'full'] as const) {
      const [first, ...others] = coveringRows(given, { depth, count: 9, seed: '' })
      expect(first).toEqual({ a: 'none', b: 'none' })
      if (depth === 'quick') expect(others).toHaveLength(3)
    }
  })

  test('are determined by the seed', () => {
    const given = { a: ['1', '2', '3'], b: ['1', '2', '3'], c: ['1', '2', '3'] }
    const rowsOf = (seed: string) => coveringRows(given, { ...full, seed })
    expect(rowsOf('one')).toEqual(rowsOf('one'))
    expect(rowsOf('one')).not.toEqual(rowsOf('two'))
  })
})

const [own, other, third] = [randomUUID(), randomUUID(), randomUUID()] as const

const others = [{ id: other }, { id: third }]
const another = { result: [{ id: own }] }

test.each<[string, unknown, number, unknown?]>([
  ['a bare array', [{ id: own }, { id: other }], 2],
  ['an array under any name', { result: [{ id: own }, { id: other }, { id: third }] }, 3],
  ['ids in capitals', [{ id: own.toUpperCase() }, { id: own }], 1],
  ['an array by day with chats inside', [{ day: 'today', chats: [{ id: own }] }], 1],
  ['links of a chat that repeat its id', [{ id: own, links: [{ id: own }, { id: other }] }], 1],
  ['a list of others', [{ id: other }, { id: third }], 0],
  ['elements with numbers as ids', [{ id: own }, { id: '2' }, { id: '3' }], 1],
  ['users beside the chats', { users: [{ id: other }, { id: third }], chats: [{ id: own }] }, 1],
  ['an echo of the request', { request: { query: { ids: [own, other] } } }, 0],
  ['a list of others where another answer has one', { result: others }, 2, another],
  ['a list of others elsewhere', { users: others }, 0, another],
  ['no list', { error: 'busy' }, 0, another],
])('listedChatIds counts %s', (_, body, count, answered) => {
  expect(listedChatIds(body, [own], {}, answered).size).toBe(count)
})
