import { describe, expect, test } from 'vitest'
import { duration, optionalDuration } from './values.ts'

describe('a time', () => {
  test.each([
    ['500ms', 500],
    ['1.5s', 1500],
    [' 2m ', 120_000],
    ['1h', 3_600_000],
  ])('%s', (text, ms) => {
    expect(duration(text)).toBe(ms)
    expect(optionalDuration(text)).toBe(ms)
  })

  test.each(['', '30', '-1s', '1d', 's', '1 s', 'Infinitys'])('is not %j', (text) => {
    expect(() => duration(text)).toThrow('must be a time, e.g. 500ms')
    expect(() => optionalDuration(text)).toThrow('must be a time, e.g. 500ms')
  })

  test('of 0 is refused except where it is a choice, such as --warm-up 0s', () => {
    expect(() => duration('0s')).toThrow('must be longer than 0')
    expect(optionalDuration('0s')).toBe(0)
  })
})
