import { describe, expect, test } from 'vitest'
import { readTrace, TraceSyntaxError } from './arrival-times.ts'
import { mixEntry } from './mix.ts'
import { mixFile, mixOfFile } from './mix-schema.ts'

const mixOf = (transactions: readonly unknown[]) =>
  mixOfFile(mixFile.parse({ transactions }), 'desk')

test('an entry gets defaults for omitted keys', () => {
  const entry = { kind: 'openai-json', weight: 1, answer: null } as const
  const prompt = { kind: 'constant', value: 12 } as const
  expect(mixOf([{ kind: 'openai-json', answer: 'free', prompt: 12 }]).entries).toEqual([
    mixEntry({ ...entry, name: 'openai-json', prompt }),
  ])
})

test('factors are crossed into entries of equal weight', () => {
  const { entries } = mixOf([
    { kind: 'v3-stream', weight: 6, think: [true, false], rag: [false, 'agent', { limit: 3 }] },
  ])
  expect(entries.map(({ name, weight, think, rag }) => [name, weight, think, rag])).toEqual([
    ['v3-stream think=true rag=false', 1, true, false],
    ['v3-stream think=true rag=agent', 1, true, 'agent'],
    ['v3-stream think=true rag={"limit":3}', 1, true, { limit: 3 }],
    ['v3-stream think=false rag=false', 1, false, false],
    ['v3-stream think=false rag=agent', 1, false, 'agent'],
    ['v3-stream think=false rag={"limit":3}', 1, false, { limit: 3 }],
  ])
})

test.each([
  { uniform: { min: 9, max: 1 } },
  { normal: { mean: 5, deviation: 1, min: 9, max: 1 } },
  { lognormal: { median: 5, sigma: 1, min: 9, max: 1 } },
])('a range with min greater than max is rejected: %j', (prompt) => {
  expect(() => mixOf([{ kind: 'v3-json', prompt }])).toThrow('min is greater than max')
})

test('an entry name omits values that are not factors', () => {
  expect(mixOf([{ kind: 'v3-stream', think: true }]).entries[0]).toMatchObject({
    name: 'v3-stream',
    think: true,
  })
})

test('two entries of the same name get different names', () => {
  const { entries } = mixOf([{ kind: 'v3-json' }, { kind: 'v3-json', weight: 2 }])
  expect(entries.map(({ name }) => name)).toEqual(['v3-json', 'v3-json #2'])
})

describe('a trace', () => {
  test('is sorted by time and starts at its first request', () => {
    const text = [
      '{"at": 3.5, "transaction": "v3-stream", "prompt": 80, "answer": 200, "session": "b"}',
      '',
      '{"at": 1, "session": "a"}',
      '{"at": 4, "session": "b"}',
    ].join('\n')
    expect(readTrace(text)).toEqual([
      { atNs: 0, session: 1 },
      { atNs: 2.5e9, transaction: 'v3-stream', promptWords: 80, answerTokens: 200, session: 0 },
      { atNs: 3e9, session: 0 },
    ])
  })

  test('accepts the field names of published traces', () => {
    const [line] = readTrace('{"timestamp": 27482, "input_length": 6955, "output_length": 52}')
    expect(line).toMatchObject({ atNs: 0, promptWords: 6955, answerTokens: 52 })
  })

  test.each([
    ['', 1, 'it contains no requests'],
    ['{"at": 1}\nat 2', 2, 'is not a JSON object'],
    ['{"at": 1}\n[]', 2, 'is not a JSON object'],
    ['{"at": "1"}', 1, 'at: must be a number of seconds'],
    ['{"at": -1}', 1, 'at: must be a number of seconds'],
    ['{"at": 1, "prompt": 0}', 1, 'prompt: must be a whole number from 1 up'],
    ['{"at": 1, "output_length": 1.5}', 1, 'output_length: must be a whole number from 1 up'],
    ['{"at": 1, "transaction": 3}', 1, 'transaction: must be the name of an entry of the mix'],
  ])('with a syntax error is rejected with its line: %j', (text, line, message) => {
    expect(() => readTrace(text)).toThrow(expect.objectContaining({ line, message }))
    expect(() => readTrace(text)).toThrow(TraceSyntaxError)
  })
})
