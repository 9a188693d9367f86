import { describe, expect, test } from 'vitest'
import { readTrace, TraceSyntaxError } from './trace.ts'

describe('a trace', () => {
  test('is read in the order of time, from its first line on', () => {
    const text = [
      '{"at": 3.5, "transaction": "v3-stream", "prompt": 80, "answer": 200, "session": "b"}',
      '',
      '{"at": 1, "session": "a"}',
      '{"at": 4, "session": "b"}',
    ].join('\n')
    expect(readTrace(text)).toEqual([
      {
        atNs: 0,
        transaction: undefined,
        promptWords: undefined,
        answerTokens: undefined,
        session: 1,
      },
      { atNs: 2.5e9, transaction: 'v3-stream', promptWords: 80, answerTokens: 200, session: 0 },
      {
        atNs: 3e9,
        transaction: undefined,
        promptWords: undefined,
        answerTokens: undefined,
        session: 0,
      },
    ])
  })

  test('may use the names of published traces', () => {
    const [line] = readTrace('{"timestamp": 27482, "input_length": 6955, "output_length": 52}')
    expect(line).toMatchObject({ atNs: 0, promptWords: 6955, answerTokens: 52 })
  })

  test.each([
    ['', 1, 'there is no request in it'],
    ['{"at": 1}\nat 2', 2, 'is no JSON object'],
    ['{"at": 1}\n[]', 2, 'is no JSON object'],
    ['{"at": "1"}', 1, 'at: must be a number of seconds'],
    ['{"at": -1}', 1, 'at: must be a number of seconds'],
    ['{"at": 1, "prompt": 0}', 1, 'prompt: must be a whole number from 1 up'],
    ['{"at": 1, "output_length": 1.5}', 1, 'output_length: must be a whole number from 1 up'],
    ['{"at": 1, "transaction": 3}', 1, 'transaction: must be the name of an entry of the mix'],
  ])('that cannot be read tells where: %j', (text, line, message) => {
    expect(() => readTrace(text)).toThrow(expect.objectContaining({ line, message }))
    expect(() => readTrace(text)).toThrow(TraceSyntaxError)
  })
})
