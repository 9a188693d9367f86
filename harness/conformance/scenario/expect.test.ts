import fc from 'fast-check'
import { expect as assert, describe, test } from 'vitest'
import { forAll } from '../../../contract/test-support/for-all.ts'
import { ContractViolation, expect } from './expect.ts'

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
      'status of the repeat: expected 200, received 500': () => expect(500, what).toBe(200),
      'status of the repeat: expected 200, received nothing': () =>
        expect(undefined, what).toBe(200),
      'status of the repeat: expected less than 500, received 502': () =>
        expect(502, what).toBeLessThan(500),
      'status of the repeat: expected less than 500, received nothing': () =>
        expect(undefined, what).toBeLessThan(500),
      'page: expected at most 2, received 3': () => expect(3, 'page').toBeLessThanOrEqual(2),
      'page: expected more than 2, received 2': () => expect(2, 'page').toBeGreaterThan(2),
      'page: expected at least 2, received 1': () => expect(1, 'page').toBeGreaterThanOrEqual(2),
      'steps with this key: expected 1, received 3': () =>
        expect([1, 2, 3], 'steps with this key').toHaveLength(1),
      'rows lost: expected none, received "a", "b", "c", … (4 in all)': () =>
        expect(['a', 'b', 'c', 'd'], 'rows lost').toEqual([]),
      'facts: expected "d", "f" from position 4, received "x", "e" from position 4': () =>
        expect(['a', 'b', 'c', 'x', 'e'], 'facts').toEqual(['a', 'b', 'c', 'd', 'f']),
      'the text: expected "xz" from position 201, received "yz" from position 201': () =>
        expect(`${'a'.repeat(200)}yz`, 'the text').toBe(`${'a'.repeat(200)}xz`),
      'titles: expected at least one, received none': () => expect([], 'titles').not.toEqual([]),
      'filename: expected a string, received nothing': () =>
        expect(undefined, 'filename').toBeTypeOf('string'),
      'content: expected an object, received null': () =>
        expect(null, 'content').toBeTypeOf('object'),
      'cursor: expected null, received "x"': () => expect('x', 'cursor').toBeNull(),
      'the id: expected a value, received nothing': () => expect(undefined, 'the id').toBeDefined(),
      'text: expected a non-empty string, received an empty string': () =>
        expect('', 'text').not.toBe(''),
      'the answer: expected a string containing "Ann", received "Bea"': () =>
        expect('Bea', 'the answer').toContain('Ann'),
      'the answer: expected a string without "B", received "Bea"': () =>
        expect('Bea', 'the answer').not.toContain('B'),
      'the history contains the question: expected yes, received no': () =>
        expect(false, 'the history contains the question').toBe(true),
      'the answer contains the fact: expected yes, received no': () =>
        expect(undefined, 'the answer contains the fact').toBe(true),
      'a chat was created: expected no, received yes': () =>
        expect(true, 'a chat was created').toBe(false),
    }),
  )('as %s', (message, assertion) => {
    assert(messageOf(assertion)).toBe(message)
  })

  test('with a long value shortened', () => {
    const message = messageOf(() => expect('x'.repeat(10_000), 'the answer').toBe('y'))
    assert(message.length).toBeLessThan(250)
  })
})

test('expect holds for equal values and throws a violation for others', () => {
  forAll(fc.jsonValue(), fc.jsonValue(), (a, b) => {
    const same = JSON.stringify(a) === JSON.stringify(b)
    assert(messageOf(() => expect(structuredClone(a), 'value').toEqual(a))).toBe('held')
    if (!same && !JSON.stringify([a, b]).includes('-0')) {
      assert(messageOf(() => expect(a, 'value').not.toEqual(b))).toBe('held')
    }
  })
})
