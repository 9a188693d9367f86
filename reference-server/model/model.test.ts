import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { growth } from '../../contract/test-support/growth.ts'
import { readDirectives } from './directives.ts'
import { fakeModel } from './fake-model.ts'
import { countTokens, splitTokens } from './generation.ts'
import type { Generation, ModelRequest, Turn } from './types.ts'

const plain: ModelRequest = {
  model: 'SVC-Main',
  turns: [],
  think: false,
  tools: ['get_time', 'file_search'],
  toolsRunBy: 'service',
  maxTokens: Number.POSITIVE_INFINITY,
  stop: [],
}
const user = (text: string): Turn => ({ role: 'user', text })
const ask = (text: string, rest: Partial<ModelRequest> = {}, seed = 1): Generation =>
  fakeModel(seed)({ ...plain, turns: [user(text)], ...rest })
const textOf = ({ steps }: Generation, type = 'message') =>
  steps.flatMap((step) => (step.type === type ? step.fragments : [])).join('')

const prompt = fc.oneof(fc.lorem(), fc.string({ unit: 'grapheme' }), fc.constant('[[tokens=40]]'))

describe('fakeModel', () => {
  it('gives equal generations for equal requests, independent of earlier ones', () => {
    const model = fakeModel(3)
    fc.assert(
      fc.property(
        prompt,
        prompt,
        fc.boolean(),
        fc.integer({ min: 1, max: 80 }),
        (text, other, think, maxTokens) => {
          const request = { ...plain, turns: [user(text)], think, maxTokens }
          const first = model(request)
          model({ ...plain, turns: [user(other)] })
          expect(model(structuredClone(request))).toEqual(first)
          expect(fakeModel(3)(request)).toEqual(first)
        },
      ),
    )
  })

  it('differs by prompt and seed', () => {
    const answers = new Set(Array.from({ length: 200 }, (_, n) => textOf(ask(`Question ${n}`))))
    expect(answers.size).toBe(200)
    expect(textOf(ask('Hello', {}, 1))).not.toBe(textOf(ask('Hello', {}, 2)))
  })

  it('answers in 20 to 60 words, sometimes with multi-byte characters', () => {
    const answers = Array.from({ length: 200 }, (_, n) => textOf(ask(`Question ${n}`)))
    for (const answer of answers) {
      const words = answer.split(/\s+/).length
      expect(words).toBeGreaterThanOrEqual(20)
      expect(words).toBeLessThanOrEqual(60)
    }
    expect(answers.some((answer) => /\p{Script=Han}/u.test(answer))).toBe(true)
    expect(answers.some((answer) => /\p{Emoji_Presentation}/u.test(answer))).toBe(true)
    expect(answers.some((answer) => /é|ë|ö|ï/.test(answer))).toBe(true)
  })
})

it('stop ends the text before the first stop sequence at any token boundary', () => {
  const pieces = fc.array(
    fc.constantFrom('a', 'ab', 'ba', ' ', 'END', 'EN', 'D', '東', '🌱', '\n'),
    { maxLength: 40 },
  )
  fc.assert(
    fc.property(
      pieces,
      fc.array(fc.constantFrom('END', 'ab a', 'b東', '🌱\n', 'NDE', ' '), {
        minLength: 1,
        maxLength: 3,
      }),
      (parts, stop) => {
        const whole = parts.join('')
        const generation = ask(`[[say=${whole}]]`, { stop })
        const text = textOf(generation)
        const firsts = stop.map((sequence) => whole.indexOf(sequence)).filter((at) => at >= 0)
        expect(text).toBe(firsts.length === 0 ? whole : whole.slice(0, Math.min(...firsts)))
        expect(generation.finish).toBe('stop')
        expect(generation.tokens.output).toBe(countTokens(text))
      },
    ),
  )
})

describe('the token budget', () => {
  it('is never exceeded, and the cut answer is a prefix of the whole', () => {
    fc.assert(
      fc.property(
        prompt,
        fc.integer({ min: 1, max: 100 }),
        fc.boolean(),
        (text, maxTokens, think) => {
          const whole = ask(text, { think })
          const cut = ask(text, { think, maxTokens })
          expect(cut.tokens.output).toBeLessThanOrEqual(maxTokens)
          expect(textOf(whole).startsWith(textOf(cut))).toBe(true)
          expect(cut.finish).toBe(textOf(cut) === textOf(whole) ? 'stop' : 'length')
          expect(cut.steps.at(-1)?.complete).toBe(cut.finish === 'stop')
          expect(cut.tokens.reasoning).toBeLessThanOrEqual(maxTokens / 2)
        },
      ),
    )
  })

  it('does not cut an answer that ends with it', () => {
    expect(ask('[[tokens=12]]', { maxTokens: 12 }).finish).toBe('stop')
    expect(ask('[[tokens=13]]', { maxTokens: 12 }).finish).toBe('length')
  })

  it('counts input, output and reasoning with one splitter', () => {
    const { tokens, steps } = ask('Hello there', { think: true })
    const fragments = steps.flatMap((step) => step.fragments)
    expect(tokens.input).toBe(splitTokens('Hello there').length + 1)
    expect(tokens.output).toBe(fragments.length)
    expect(tokens.reasoning).toBe(
      countTokens(textOf({ ...ask('Hello there', { think: true }) }, 'reasoning')),
    )
  })
})

it('recalls the latest name from users only', () => {
  const turns: Turn[] = [
    user('My name is Ann.'),
    user('No: my name is Bea!'),
    { role: 'assistant', text: 'My name is Robot.' },
    user("What's my name?"),
  ]
  expect(textOf(ask('', { turns }))).toBe('Your name is Bea.')
  expect(textOf(ask('What is my name?'))).toBe('You have not told me your name yet.')
})

it.each([0, 1, 7])('fails after %d tokens of the answer', (count) => {
  const generation = ask(`[[fail=${count}]] [[tokens=20]]`)
  expect(generation.finish).toBe('failed')
  expect(generation.failure).toMatchObject({ code: 'server_error' })
  expect(generation.tokens.output).toBe(count)
  expect(generation.steps.length).toBe(count === 0 ? 0 : 1)
})

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.lorem(),
  fc
    .array(fc.constantFrom(' ', '\n', 'word', 'naïve', '東京', '🌦️', '1987', '.', '\ud800'))
    .map((services) => services.join('')),
)

it('splitTokens returns non-empty tokens that join to the text', () => {
  fc.assert(
    fc.property(anyText, (given) => {
      const tokens = splitTokens(given)
      expect(tokens.join('')).toBe(given)
      expect(countTokens(given)).toBe(tokens.length)
      expect(tokens).not.toContain('')
    }),
  )
})

it('splitTokens returns leading tokens unchanged', () => {
  fc.assert(
    fc.property(anyText, fc.nat(20), (given, count) => {
      const some = splitTokens(given).slice(0, count)
      expect(splitTokens(some.join(''))).toEqual(some)
    }),
  )
})

it('splitTokens never splits a code point', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (given) => {
      for (const token of splitTokens(given)) expect(token.isWellFormed()).toBe(true)
    }),
  )
})

it('countTokens takes linear time', () => {
  expect(growth((length) => countTokens(' '.repeat(length)), 50_000)).toBeLessThan(64)
  expect(growth((length) => countTokens('word'.repeat(length)), 10_000)).toBeLessThan(64)
})

const nothing = { tools: [], refuse: false, pace: {}, mistyped: [] }

it.each([
  ['plain text', nothing],
  ['[[tokens=200]] please', { ...nothing, tokens: 200 }],
  ['[[tokens=999999999]]', { ...nothing, tokens: 100_000 }],
  ['Well, [[say=one\ntwo]] and [[refuse]]', { ...nothing, say: 'one\ntwo', refuse: true }],
  ['[[error=503]]', { ...nothing, error: 503 }],
  ['[[drop=3]]', { ...nothing, disruption: { kind: 'drop', afterTokens: 3 } }],
  ['[[stall=0]]', { ...nothing, disruption: { kind: 'stall', afterTokens: 0 } }],
  ['[[fail=0]][[think=3]]', { ...nothing, fail: 0, think: 3 }],
  [
    '[[pace=ttft=5ms,gap=1ms]]',
    { ...nothing, pace: { ttftMs: 5, ttftSigma: 0, gapMs: 1, gapSigma: 0 } },
  ],
])('reads %j', (prompt, expected) => {
  expect(readDirectives(prompt)).toEqual(expected)
})

it('reads several tool calls with brackets in their arguments', () => {
  const prompt =
    '[[tool=get_time {"zone":"UTC"}]] [[tool=get_weather]] [[tool=plot {"rows":[[1,2],[3]]}]]'
  expect(readDirectives(prompt).tools).toEqual([
    { name: 'get_time', arguments: '{"zone":"UTC"}' },
    { name: 'get_weather', arguments: '{}' },
    { name: 'plot', arguments: '{"rows":[[1,2],[3]]}' },
  ])
})

it.each([
  '[[tokens=many]]',
  '[[tokens=-1]]',
  '[[error=200]]',
  '[[error=600000]]',
  '[[pace=quick]]',
  '[[pace=ttft=999999999s]]',
  '[[tool=get_time {zone}]]',
  '[[tool=]]',
  '[[nonsense=1]]',
  '[[drop]]',
  '[[Refuse]]',
  '[[Tokens=5]]',
  '[[max_tokens=5]]',
  '[[ tokens=5 ]]',
  '[[refuse ]]',
  '[[tokens = 5]]',
  '[[tokens: 5]]',
  '[[tokens 5]]',
  '[[tokens=5]',
])('treats a mistyped directive as text and reports it: %j', (prompt) => {
  const { error, ...read } = readDirectives(prompt)
  expect(read).toEqual({ ...nothing, mistyped: error === undefined ? [prompt] : [] })
  expect(error ?? 599).toBe(599)
})

it.each(['[tokens=1]', 'a [[link]] of a wiki', 'if [[ -f x ]]', '[[two words]]'])(
  'treats %j as text',
  (prompt) => {
    expect(readDirectives(prompt)).toEqual(nothing)
  },
)

it.each([
  ['a tool without an end', (length: number) => `[[tool=x {${']]'.repeat(length)}`],
  ['openings', (length: number) => '[['.repeat(length)],
  ['openings of a text', (length: number) => '[[say='.repeat(length)],
])('reads hostile prompts in linear time: %s', (_, prompt) => {
  expect(growth((length) => readDirectives(prompt(length)), 10_000)).toBeLessThan(64)
})

it('reads all directives of the documentation', () => {
  const page = readFileSync(new URL('../../docs/client-development.md', import.meta.url), 'utf8')
  const documented = [...page.matchAll(/^\| `(\[\[.*?\]\])`/gm)].map(([, example = '']) => example)
  expect(documented).toHaveLength(11)
  for (const example of documented) {
    expect([example, readDirectives(example)]).not.toEqual([example, readDirectives('')])
  }
})
