import { expect, test } from 'vitest'
import { indent, printable, shorten, wrap } from './escape.ts'
import { count } from './format.ts'

test('controls, direction marks and halves of pairs are shown, not obeyed', () => {
  expect(printable('\u001b[31mred\u0007\r\n\ttab \u009b1m \u202eback \ufeff \ud800.')).toBe(
    '\\x1b[31mred\\x07\\r\\n\\ttab \\x9b1m \\u202eback \\ufeff \\ud800.',
  )
})

test('letters of any script and emoji stay as they are', () => {
  expect(printable('Grüße, 你好 👋🏽')).toBe('Grüße, 你好 👋🏽')
})

test('shortening counts characters and cuts none in half', () => {
  expect(shorten('abcdef', 6)).toBe('abcdef')
  expect(shorten('abcdef', 4)).toBe('abc…')
  expect(shorten('👋👋👋', 2)).toBe('👋…')
  expect(shorten('abc', 0)).toBe('…')
})

test('wrapping breaks at spaces only', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three'])
  expect(wrap('unbreakable word', 4)).toEqual(['unbreakable', 'word'])
  expect(indent(['a', ''], 2)).toEqual(['  a', ''])
})

test('a word that is too long is broken behind its commas', () => {
  expect(wrap('has {one,two,three} in it', 8)).toEqual(['has', '{one,', 'two,', 'three}', 'in it'])
  expect(wrap('a,b c', 8)).toEqual(['a,b c'])
})

test('a noun agrees with its number', () => {
  expect([count(0, 'row'), count(1, 'row'), count(2, 'row')]).toEqual(['0 rows', '1 row', '2 rows'])
})
