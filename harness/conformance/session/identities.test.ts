import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toUuid, toWord, wordsIn } from './identities.ts'

test('a word is the same for the same text, and can be said', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(toWord(text)).toBe(toWord(text))
      expect(toWord(text)).toMatch(
        /^[A-Z]([bdfgklmnprstvz]?[aeiou]){1}([bdfgklmnprstvz][aeiou]){2}\d{4}$/,
      )
    }),
  )
})

test('words are found in a text, and nothing else is', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (texts) => {
      const words = texts.map(toWord)
      expect(wordsIn(`Your name is ${words.join(', or ')}.`)).toEqual(words)
    }),
  )
  expect(wordsIn('Kolame12345 XKolame1234 Kolame 1234 kolame1234 2026')).toEqual([])
})

test('a UUID is the same for the same text, and of version 4 (RFC 9562)', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(toUuid(text)).toBe(toUuid(text))
      expect(toUuid(text)).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      )
    }),
  )
})

test('the identities of a run do not meet', () => {
  const draws = Array.from({ length: 2_000 }, (_, draw) => `seed/a-scenario/${draw}`)
  expect(new Set(draws.map(toUuid)).size).toBe(draws.length)
  expect(new Set(draws.map(toWord)).size).toBe(draws.length)
  expect(toUuid('seed-1/a/1')).not.toBe(toUuid('seed-2/a/1'))
})
