import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forAll } from '../../../contract/test-support/for-all.ts'
import { coveringRows } from './covering-rows.ts'
import { ContractViolation, expect as check } from './expect.ts'
import { listedChatIds } from './read.ts'
import { pairsOf, plain } from './rows.ts'

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

  test('include triples of values at depth full, every other time of telling ones', () => {
    const three = ['v0', 'v1', 'v2']
    const given = { a: three, b: three, c: three, d: three, e: three }
    const triplesIn = (rows: readonly Readonly<Record<string, string>>[]) =>
      new Set(rows.map(({ a, b, c }) => [a, b, c].join())).size
    const rows = coveringRows(given, { ...full, seed: '', telling: { a: ['v0'] } })
    expect(triplesIn(rows)).toBeGreaterThan(22)
    expect(rows.filter(({ a }) => a === 'v0').length).toBeGreaterThan(15)
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

const messageOf = (assertion: () => void): string => {
  try {
    assertion()
  } catch (error) {
    if (error instanceof ContractViolation) return error.message
    throw error
  }
  return 'held'
}

describe('a violation names expected and received values', () => {
  const what = 'status of the repeat'
  test.each(
    Object.entries<() => void>({
      'status of the repeat: expected 200, received 500': () => check(500, what).toBe(200),
      'status of the repeat: expected 200, received nothing': () =>
        check(undefined, what).toBe(200),
      'status of the repeat: expected less than 500, received 502': () =>
        check(502, what).toBeLessThan(500),
      'status of the repeat: expected less than 500, received nothing': () =>
        check(undefined, what).toBeLessThan(500),
      'page: expected at most 2, received 3': () => check(3, 'page').toBeLessThanOrEqual(2),
      'page: expected more than 2, received 2': () => check(2, 'page').toBeGreaterThan(2),
      'page: expected at least 2, received 1': () => check(1, 'page').toBeGreaterThanOrEqual(2),
      'steps with this key: expected 1, received 3': () =>
        check([1, 2, 3], 'steps with this key').toHaveLength(1),
      'rows lost: expected none, received "a", "b", "c", … (4 in all)': () =>
        check(['a', 'b', 'c', 'd'], 'rows lost').toEqual([]),
      'facts: expected "d", "f" from position 4, received "x", "e" from position 4': () =>
        check(['a', 'b', 'c', 'x', 'e'], 'facts').toEqual(['a', 'b', 'c', 'd', 'f']),
      'the text: expected "xz" from position 201, received "yz" from position 201': () =>
        check(`${'a'.repeat(200)}yz`, 'the text').toBe(`${'a'.repeat(200)}xz`),
      'titles: expected at least one, received none': () => check([], 'titles').not.toEqual([]),
      'filename: expected a string, received nothing': () =>
        check(undefined, 'filename').toBeTypeOf('string'),
      'content: expected an object, received null': () =>
        check(null, 'content').toBeTypeOf('object'),
      'cursor: expected null, received "x"': () => check('x', 'cursor').toBeNull(),
      'the id: expected a value, received nothing': () => check(undefined, 'the id').toBeDefined(),
      'text: expected a non-empty string, received an empty string': () =>
        check('', 'text').not.toBe(''),
      'the answer: expected a string containing "Ann", received "Bea"': () =>
        check('Bea', 'the answer').toContain('Ann'),
      'the answer: expected a string without "B", received "Bea"': () =>
        check('Bea', 'the answer').not.toContain('B'),
      'the history contains the question: expected yes, received no': () =>
        check(false, 'the history contains the question').toBe(true),
      'the answer contains the fact: expected yes, received no': () =>
        check(undefined, 'the answer contains the fact').toBe(true),
      'a chat was created: expected no, received yes': () =>
        check(true, 'a chat was created').toBe(false),
    }),
  )('as %s', (message, assertion) => {
    expect(messageOf(assertion)).toBe(message)
  })

  test('with a long value shortened', () => {
    const message = messageOf(() => check('x'.repeat(10_000), 'the answer').toBe('y'))
    expect(message.length).toBeLessThan(250)
  })
})

test('expect holds for equal values and throws a violation for others', () => {
  forAll(fc.jsonValue(), fc.jsonValue(), (a, b) => {
    const same = JSON.stringify(a) === JSON.stringify(b)
    expect(messageOf(() => check(structuredClone(a), 'value').toEqual(a))).toBe('held')
    if (!same && !JSON.stringify([a, b]).includes('-0')) {
      expect(messageOf(() => check(a, 'value').not.toEqual(b))).toBe('held')
    }
  })
})
