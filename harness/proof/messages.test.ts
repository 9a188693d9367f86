import { describe, expect, test } from 'vitest'
import { messageProblem } from './kill-matrix.ts'

describe('a message of a violation', () => {
  test.each([
    'status of the repeat: expected less than 500, received 502',
    'a third turn without Idempotency-Key is refused: expected yes, received no',
    'the favorites show the deleted chat: expected no, received yes',
    'usage is missing: expected an object.',
    'The media type is "text/plain", not text/event-stream.',
    'A page with limit 2 has 3 rows.',
    'Expected status 200 with text/event-stream, received status 200 with text/html.',
    '44 deltas came in 2 reads, 158 ms apart',
    'the list of chats (no filter) lacks 1 of 3 chats',
  ])('is a sentence: %s', (message) => {
    expect(messageProblem(message)).toBeUndefined()
  })

  test.each([
    ['expected that a third turn without Idempotency-Key', 'does not say what was received'],
    ['unexpected: a chat was created', 'does not say what was received'],
    ['usage is nothing: expected an object', 'calls a missing value nothing'],
    [
      'a third turn without Idempotency-Key: expected yes, received no',
      'asks yes or no of a clause without a verb',
    ],
    ['3 rows on a page with limit 2.', 'has no verb'],
    ['status: expected 200, received 200', 'expects what it received'],
    ['expected 500 to be less than 500', 'quotes internals'],
    ['the id: expected a value, received undefined', 'quotes internals'],
  ])('is not one: %s', (message, problem) => {
    expect(messageProblem(message)).toBe(problem)
  })
})
