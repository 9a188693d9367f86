import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { testServer } from '../../test-support/server.ts'
import { fakeModel } from '../fake-model.ts'
import { type Generation, ModelOutage, type ModelRequest, type Turn } from '../types.ts'
import { answerScript, type ScriptEntry } from './answer-script.ts'
import { recordedModel } from './recording.ts'
import { scriptedModel } from './scripted-model.ts'

const read = (script: unknown) => answerScript.parse(script)
const user = (text: string): Turn => ({ role: 'user', text })
const requestFor = (text: string, rest: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'SVC-Main',
  turns: [user(text)],
  think: false,
  tools: [],
  toolsRunBy: 'client',
  maxTokens: Number.POSITIVE_INFINITY,
  stop: [],
  ...rest,
})
const textOf = ({ steps }: Generation) => steps.flatMap(({ fragments }) => fragments).join('')
const modelOf = (answers: readonly object[], otherwise = 'error') =>
  scriptedModel(read({ answers, otherwise }), fakeModel(1), 1)

describe('a script entry matches', () => {
  const model = modelOf([
    { match: { text: '/^colou?r$/i' }, answer: 'by expression' },
    { match: { text: 'Weather', turn: 2 }, answer: 'by turn' },
    { match: { text: 'weather', model: 'SVC-Vision' }, answer: 'by model' },
    { match: { text: 'weather', model: 'svc-main-model' }, answer: 'by alias' },
    { answer: 'to all others' },
  ])
  const twice = [
    user('weather'),
    { role: 'assistant', text: '' },
    { role: 'tool', text: '5' },
  ] as const

  it.each([
    ['by expression', requestFor('COLOR')],
    ['by turn', requestFor('', { turns: twice })],
    ['by model', requestFor('the WEATHER', { model: 'SVC-Vision' })],
    ['by alias', requestFor('the weather')],
    ['to all others', requestFor('the color')],
  ])('%s', (answer, request) => {
    expect(textOf(model(request))).toBe(answer)
  })
})

it('calls tools of a client, and answers in the next turn', () => {
  const calls = [
    { name: 'get_weather', arguments: { city: 'Łódź' } },
    { name: 'convert', arguments: '{not JSON' },
  ]
  const model = modelOf([
    { match: { turn: 1 }, tool_calls: calls },
    { match: { turn: 2 }, answer: '21 degrees' },
  ])
  const generation = model(requestFor('How warm is it?'))
  expect([generation.finish, generation.steps.map(({ type }) => type)]).toEqual([
    'tool_calls',
    ['function_call', 'function_call'],
  ])
  const given = generation.steps.map(({ fragments }) => fragments.join(''))
  expect(given).toEqual(['{"city":"Łódź"}', '{not JSON'])
  const results = ['5', '6'].map((text): Turn => ({ role: 'tool', text }))
  const turns: Turn[] = [user('How warm is it?'), { role: 'assistant', text: '' }, ...results]
  expect(textOf(model(requestFor('', { turns })))).toBe('21 degrees')
})

it('answers a limited number of times before the next entry', () => {
  const model = modelOf([
    { times: 2, error: { status: 503, retry_after: 7 } },
    { times: 1, answer: 'one' },
  ])
  for (const _ of [1, 2]) {
    expect(() => model(requestFor('x'))).toThrow(
      expect.objectContaining({ status: 503, retryAfter: 7 }),
    )
  }
  expect(textOf(model(requestFor('x')))).toBe('one')
  expect(() => model(requestFor('x'))).toThrow(/The script has no answer number 1 to "x"/)
})

it('answers a share of the requests, determined by the seed', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1e6 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (seed, share) => {
        const script = read({
          answers: [{ probability: share, error: { status: 503 } }, { answer: 'fine' }],
        })
        const run = () => {
          const model = scriptedModel(script, fakeModel(1), seed)
          return Array.from({ length: 1000 }, () => {
            try {
              return textOf(model(requestFor('x')))
            } catch {
              return 'error'
            }
          })
        }
        const answers = run()
        expect(run()).toEqual(answers)
        const errors = answers.filter((answer) => answer === 'error').length
        // Six standard deviations.
        expect(Math.abs(errors - 1000 * share)).toBeLessThan(6 * Math.sqrt(250) + 1)
      },
    ),
    { numRuns: 30 },
  )
})

it('leaves the rest to the fake model', () => {
  const model = modelOf([{ match: { text: 'weather' }, answer: 'scripted' }], 'model')
  expect(model(requestFor('Hello'))).toEqual(fakeModel(1)(requestFor('Hello')))
})

it('respects the limits of the request', () => {
  const model = modelOf([{ reasoning: 'I think.', answer: 'one two three four' }])
  expect(textOf(model(requestFor('x', { stop: ['three'] })))).toBe('one two ')
  expect(model(requestFor('x', { maxTokens: 2 }))).toMatchObject({
    finish: 'length',
    tokens: { output: 2 },
  })
  expect(model(requestFor('x')).tokens.reasoning).toBe(0)
  expect(model(requestFor('x', { think: true })).tokens.reasoning).toBeGreaterThan(0)
})

describe('a script over HTTP', () => {
  it('answers on all surfaces with delays', async () => {
    const script = read({ answers: [{ delay: '80ms', gap: 10, answer: 'one two three' }] })
    const server = await testServer({ script })
    const startedAt = performance.now()
    const { json } = await server.complete('Hi')
    expect(json.choices[0].message.content).toBe('one two three')
    expect(performance.now() - startedAt).toBeGreaterThan(95)
    const oneShot = await server.oneShot({ input: 'Hi' })
    expect(oneShot.json.output.at(-1).content[0].text).toBe('one two three')
    const chat_id = await server.newChat()
    const stream = await server.generate({ chat_id, input: 'Hi', stream: true })
    expect(stream.text).toContain('one two three')
  })

  it('refuses with status, headers and message after its delay', async () => {
    const error = { status: 429, message: 'Slow down', code: 'slow_down', retry_after: 3 }
    const server = await testServer({ script: read({ answers: [{ delay: '60ms', error }] }) })
    const startedAt = performance.now()
    const { status, headers, json } = await server.complete('Hi', { stream: true })
    expect([status, headers.get('retry-after')]).toEqual([429, '3'])
    expect(json.error).toMatchObject({ message: 'Slow down', code: 'slow_down' })
    expect(performance.now() - startedAt).toBeGreaterThan(55)
  })

  it('fails in mid-stream', async () => {
    const script = read({ answers: [{ answer: 'one two three', fail_after: 2 }] })
    const server = await testServer({ script })
    const { text } = await server.complete('Hi', { stream: true })
    expect(text).toContain('"content":" two"')
    expect(text).not.toContain('three')
    expect(text).toContain('"code":"server_error"')
  })
})

describe('a recording', () => {
  const prompts = fc.record({
    text: fc.oneof(
      fc.lorem(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('[[fail=3]]', '[[fail=0]]', '[[error=503]]', '[[refuse]]', '[[say=]]'),
      fc.constantFrom('[[tool=get_time {"zone":"UTC"}]]', '[[pace=ttft=5ms]] What time is it?'),
    ),
    think: fc.boolean(),
    toolsRunBy: fc.constantFrom('client', 'service'),
    maxTokens: fc.constantFrom(1, 3, 20, Number.POSITIVE_INFINITY),
  })

  it('replays the same answers', () => {
    fc.assert(
      fc.property(fc.array(prompts, { maxLength: 12 }), (requests) => {
        const kept: ScriptEntry[] = []
        const original = recordedModel(fakeModel(5), (entry) => kept.push(entry))
        const all = requests.map(({ text, ...rest }) =>
          requestFor(text, { ...rest, tools: ['get_time', 'file_search'] }),
        )
        const first = all.map((request) => outcome(() => original(request)))
        if (kept.length === 0) return
        const replayed = modelOf(JSON.parse(JSON.stringify(kept)))
        expect(all.map((request) => outcome(() => replayed(request)))).toEqual(first)
      }),
    )
  })

  it('keeps different answers to one request in order', () => {
    const kept: ScriptEntry[] = []
    const script = modelOf([{ times: 1, error: { status: 503 } }, { answer: 'fine' }])
    const recorded = recordedModel(script, (entry) => kept.push(entry))
    const ask = (model: typeof script) => [1, 2, 3].map(() => outcome(() => model(requestFor('x'))))
    const first = ask(recorded)
    expect(ask(modelOf(kept))).toEqual(first)
    expect(kept).toHaveLength(2)
    expect(outcome(() => modelOf(kept)(requestFor('other')))).toMatchObject({ status: 501 })
  })
})

function outcome(answer: () => Generation) {
  try {
    const { steps, finish, failure, tokens } = answer()
    return { steps, finish, failure, tokens }
  } catch (error) {
    if (!(error instanceof ModelOutage)) throw error
    return { status: error.status, message: error.message, code: error.code }
  }
}

describe('answerScript rejects', () => {
  it.each([
    [{}, 'answers'],
    [{ answers: [] }, 'answers'],
    [{ answers: [{}] }, 'answers.0'],
    [{ answers: [{ answer: 'x', refusal: 'y' }] }, 'answers.0.answer'],
    [{ answers: [{ answer: 'x', error: { status: 500 } }] }, 'answers.0.error'],
    [{ answers: [{ error: { status: 200 } }] }, 'answers.0.error.status'],
    [{ answers: [{ match: { text: '/(/' }, answer: 'x' }] }, 'answers.0.match.text'],
    [{ answers: [{ delay: 'soon', answer: 'x' }] }, 'answers.0.delay'],
    [{ answers: [{ fail_after: 2, refusal: 'x' }] }, 'answers.0.fail_after'],
  ])('%j', (script, path) => {
    const [issue] = answerScript.safeParse(script).error?.issues ?? []
    expect(issue?.path.join('.')).toBe(path)
  })
})

it('the script of the documentation is valid', () => {
  const page = readFileSync(new URL('../../../docs/client-development.md', import.meta.url), 'utf8')
  const [, text = ''] = /```yaml\n(.*?)```/s.exec(page) ?? []
  expect(read(parse(text)).answers).toHaveLength(6)
})
