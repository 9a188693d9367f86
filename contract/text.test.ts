import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forAll } from './test-support/for-all.ts'
import { growth } from './test-support/growth.ts'
import { stableText } from './text.ts'

describe('two runs say the same', () => {
  test.each([
    [
      'the history of 0b6ef0c2-13ab-4f0e-8f0e-0d8a1c7f55a1 shows Tavoru7316',
      'the history of 5c1d1f0a-77aa-4c3b-9d2e-1f2a3b4c5d6e shows Petazi6683',
    ],
    ['resp_01JD8Z3V5Q7K is resp_01JD8Z3V5Q7L again', 'resp_9af3c1d2e4 is resp_9af3c1d2e5 again'],
    ['POST http://127.0.0.1:4010/api', 'POST http://127.0.0.1:38211/api'],
    ['sent at 2026-01-02T03:04:05.123Z', 'sent at 2026-02-03T04:05:06Z'],
    ['the tag is chatgen-seed-1', 'the tag is chatgen-9f3a01bc'],
    ['silent for 1200 ms', 'silent for 803.25 ms'],
    ['shown by x17 and x18', 'shown by x4 and x5'],
    [
      'rows of the page: expected at most 2, received 3',
      'rows of the page: expected at most 2, received 4',
    ],
    [
      'The body is "It is a fine… (312 characters), which is not valid JSON',
      'The body is "Well, a… (99 characters), which is not valid JSON',
    ],
    [
      'text: expected an empty string, received "The tide comes in."',
      'text: expected an empty string, received "It rains today."',
    ],
    ['The delta is {"text":"The"}, not a string.', 'The delta is {"text":"Well"}, not a string.'],
    ['created_at is 1767323045', 'created_at is 1767409445'],
  ])('%s', (one, other) => {
    expect(stableText(one)).toBe(stableText(other))
  })
})

describe('two behaviors stay apart', () => {
  test.each([
    [
      'status of POST /api: expected 400, received 422',
      'status of POST /api: expected 400, received 500',
    ],
    ['the request: expected success, received 404', 'the request: expected success, received 503'],
    [
      'Expected status 200 with text/event-stream, received status 404',
      'Expected status 200 with text/event-stream, received status 302',
    ],
    ['usage is missing', 'usage.total_tokens is missing'],
    ['response.created is sent twice', 'response.completed is sent twice'],
    ['finish_reason is "stop"', 'finish_reason is "length"'],
    ['it is "stop", and was "length"', 'it is "stop", and not "length"'],
    ['it waits for OAI-STREAM-08', 'it waits for OAI-STREAM-09'],
    ['a key of section V3-SSE-09', 'a key of section V3-SSE-10'],
    ['The media type is text/plain', 'The media type is text/html'],
  ])('%s', (one, other) => {
    expect(stableText(one)).not.toBe(stableText(other))
  })
})

test.each([
  ['words', (length: number) => `"${'a '.repeat(length)}`],
  ['openings', (length: number) => '[{"'.repeat(length)],
  ['underscores', (length: number) => 'ab_'.repeat(length)],
])('its time grows with the message alone: %s', (_, message) => {
  expect(growth((length) => stableText(message(length)), 50_000)).toBeLessThan(64)
})

test('what differs by numbers, identifiers and times alone is the same', () => {
  const words = fc.constantFrom('the', 'history', 'shows', 'usage', 'V3-SSE-09', 'limit', 'UTF-8')
  const chance = fc.oneof(
    fc.uuid(),
    fc.nat().map(String),
    fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-01-01') })
      .map((date) => date.toISOString()),
    fc.nat(9999).map((n) => `${n} ms`),
  )
  forAll(fc.array(words), chance, fc.array(words), (before, mark, after) => {
    const text = [...before, mark, ...after].join(' ')
    expect(stableText(text)).toBe([...before, stableText(mark), ...after].join(' '))
    expect(stableText(mark)).toMatch(/^<(id|n|time|duration)>$/)
  })
})
