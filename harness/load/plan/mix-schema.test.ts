import { expect, test } from 'vitest'
import { mixFile, mixOfFile } from './mix-schema.ts'

const mixOf = (transactions: readonly unknown[]) =>
  mixOfFile(mixFile.parse({ transactions }), 'desk')

test('a short entry gets what it leaves out', () => {
  expect(mixOf([{ kind: 'openai-json', answer: 'free', prompt: 12 }])).toEqual({
    name: 'desk',
    entries: [
      {
        name: 'openai-json',
        kind: 'openai-json',
        weight: 1,
        prompt: { kind: 'constant', value: 12 },
        answer: null,
        thinkTime: { kind: 'lognormal', median: 2000, sigma: 0.5, min: 200, max: 20_000 },
        turns: { kind: 'uniform', min: 2, max: 5 },
        think: null,
        rag: null,
        template: null,
        model: null,
        usage: true,
      },
    ],
  })
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

test('a value that is no factor stands in no name', () => {
  expect(mixOf([{ kind: 'v3-stream', think: true }]).entries[0]).toMatchObject({
    name: 'v3-stream',
    think: true,
  })
})

test('two entries of one name are told apart', () => {
  const { entries } = mixOf([{ kind: 'v3-json' }, { kind: 'v3-json', weight: 2 }])
  expect(entries.map(({ name }) => name)).toEqual(['v3-json', 'v3-json #2'])
})
