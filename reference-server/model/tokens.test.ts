import fc from 'fast-check'
import { expect, it } from 'vitest'
import { growth } from '../../contract/test-support/growth.ts'
import { countTokens, splitTokens } from './generation.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.lorem(),
  fc
    .array(fc.constantFrom(' ', '\n', 'word', 'naïve', '東京', '🌦️', '1987', '.', '\ud800'))
    .map((services) => services.join('')),
)

it('splits text into tokens that are the text again, counted the same', () => {
  fc.assert(
    fc.property(text, (given) => {
      const tokens = splitTokens(given)
      expect(tokens.join('')).toBe(given)
      expect(countTokens(given)).toBe(tokens.length)
      expect(tokens).not.toContain('')
    }),
  )
})

it('counts any number of leading tokens as that number', () => {
  fc.assert(
    fc.property(text, fc.nat(20), (given, count) => {
      const some = splitTokens(given).slice(0, count)
      expect(splitTokens(some.join(''))).toEqual(some)
    }),
  )
})

it('never cuts a code point', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (given) => {
      for (const token of splitTokens(given)) expect(token.isWellFormed()).toBe(true)
    }),
  )
})

it('splits in time that grows with the text alone', () => {
  expect(growth((length) => countTokens(' '.repeat(length)), 50_000)).toBeLessThan(64)
  expect(growth((length) => countTokens('word'.repeat(length)), 10_000)).toBeLessThan(64)
})
