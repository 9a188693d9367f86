import fc from 'fast-check'
import { expect, test } from 'vitest'
import { episodesOf } from './autocorrelation.ts'

const series = (text: string) => [...text].map((letter) => (letter === '?' ? null : letter === 'x'))

test.each([
  ['no episode', '..........', 0],
  ['one', '...xxxx...', 1],
  ['one, with a few in between that were not', '..xx.x....x..', 1],
  ['two, far apart', 'x..........x', 2],
  ['one, where what lies between is not known', 'x????????????x', 1],
])('%s', (_, text, episodes) => {
  expect(episodesOf(series(text))).toBe(episodes)
})

test('never more than there are true values, and none where there is none', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.boolean())), (values) => {
      const found = episodesOf(values)
      const bad = values.filter((value) => value === true).length
      return found <= bad && (bad === 0) === (found === 0)
    }),
  )
})
