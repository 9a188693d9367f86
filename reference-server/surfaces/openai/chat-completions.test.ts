import { describe, expect, it } from 'vitest'
import { testServer } from '../../test-support/server.ts'
import { readBlocks, readChunks } from '../../test-support/sse.ts'

const contentOf = (chunks: ReturnType<typeof readChunks>) =>
  chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')

describe('one JSON answer', () => {
  it('honors max_tokens under either name', async () => {
    const server = await testServer()
    for (const member of ['max_tokens', 'max_completion_tokens']) {
      const { json } = await server.complete('Hello', { [member]: 3 })
      expect(json.choices[0].finish_reason).toBe('length')
      expect(json.usage.completion_tokens).toBe(3)
    }
  })

  it('reads every message of the conversation', async () => {
    const server = await testServer()
    const messages = [
      { role: 'system', content: 'My name is N-41.' },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: null },
      { role: 'user', content: 'What is my name?' },
    ]
    const { json } = await server.complete('', { messages })
    expect(json.choices[0].message.content).toContain('N-41')
  })

  it('refuses in the member that clients look for', async () => {
    const server = await testServer()
    const { json } = await server.complete('[[refuse]]')
    expect(json.choices[0].message).toMatchObject({ content: '', refusal: expect.any(String) })
  })
})

describe('a stream', () => {
  it('says what the JSON form says, in the order of the contract', async () => {
    const server = await testServer()
    for (const prompt of ['Hello', '[[tokens=70]]', '[[say=]]', '[[say=東京 🌱 naïve]]']) {
      for (const max_tokens of [1, 5, 1000]) {
        const whole = await server.complete(prompt, { max_tokens })
        const { status, headers, text } = await server.complete(prompt, {
          max_tokens,
          stream: true,
        })
        expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream'])
        const chunks = readChunks(text)
        expect(contentOf(chunks)).toBe(whole.json.choices[0].message.content)
        expect(chunks[0].choices[0].delta).toEqual({ role: 'assistant', content: '' })
        expect(chunks.at(-1).choices[0]).toMatchObject({
          delta: {},
          finish_reason: whole.json.choices[0].finish_reason,
        })
        expect(chunks.filter((chunk) => chunk.choices[0].finish_reason !== null)).toHaveLength(1)
        for (const member of ['id', 'created', 'model', 'object']) {
          expect(new Set(chunks.map((chunk) => chunk[member])).size).toBe(1)
        }
        const blocks = readBlocks(text)
        expect(blocks.at(-1)).toEqual({ event: undefined, data: '[DONE]' })
        expect(blocks.filter(({ data }) => data === '[DONE]')).toHaveLength(1)
        expect(chunks.every((chunk) => !('usage' in chunk))).toBe(true)
      }
    }
  })

  it('ends in an error when the model fails on the way', async () => {
    const server = await testServer()
    const { text } = await server.complete('[[fail=3]]', { stream: true })
    const [error, ...before] = readChunks(text).toReversed()
    expect(error).toMatchObject({ error: { type: 'server_error', code: 'server_error' } })
    expect(before).toHaveLength(4)
    expect((await server.complete('[[fail=3]]')).status).toBe(500)
  })

  it('comes at the pace of the model, event by event', async () => {
    const server = await testServer({ pace: { ttftMs: 60, gapMs: 15, jitter: 0 } })
    const started = performance.now()
    const response = await fetch(`${server.url}/api/openai/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.keys[0]}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'SVC-Main',
        messages: [{ role: 'user', content: '[[tokens=10]]' }],
        stream: true,
      }),
    })
    const arrivals: number[] = []
    for await (const _ of response.body ?? []) arrivals.push(performance.now() - started)
    expect(arrivals.length).toBeGreaterThan(1)
    expect(arrivals[1]).toBeGreaterThanOrEqual(50)
    expect(arrivals.at(-1)).toBeGreaterThanOrEqual(60 + 9 * 15 - 5)
  })
})

describe('invalid parameters', () => {
  const user = [{ role: 'user', content: 'Hi' }]
  const invalid: readonly [string, Record<string, unknown>][] = [
    ['temperature', { temperature: 2.1 }],
    ['temperature', { temperature: -0.1 }],
    ['temperature', { temperature: '1' }],
    ['top_p', { top_p: 'x' }],
    ['top_p', { top_p: 1.5 }],
    ['max_tokens', { max_tokens: '5' }],
    ['max_tokens', { max_tokens: 1.5 }],
    ['max_tokens', { max_tokens: 0 }],
    ['stream', { stream: 'true' }],
    ['stop', { stop: 5 }],
    ['stop.0', { stop: [5] }],
    ['model', { model: 5 }],
    ['model', { model: undefined }],
    ['messages', { messages: 'Hi' }],
    ['messages', { messages: [] }],
    ['messages', { messages: undefined }],
    ['messages.0', { messages: ['Hi'] }],
    ['messages.0.content', { messages: [{ role: 'user', content: 5 }] }],
    ['messages.0.content', { messages: [{ role: 'user', content: null }] }],
    ['messages.0.content', { messages: [{ role: 'user' }] }],
    ['messages.0.role', { messages: [{ role: 5, content: 'x' }] }],
  ]

  it.each(invalid)('are refused with 400 that names %s: %j', async (param, change) => {
    const server = await testServer()
    const { status, json } = await server.complete('', { messages: user, ...change })
    expect([status, json.error.param]).toEqual([400, param])
    expect(json.error).toMatchObject({ message: expect.any(String), type: 'invalid_request_error' })
  })

  it('do not include unknown members, nulls, or the borders of a range', async () => {
    const server = await testServer()
    for (const fine of [
      { temperature: 0 },
      { temperature: 2, top_p: 0 },
      { temperature: null, stop: null, max_tokens: null, stream: null, tools: null },
      { user: 'me', seed: 3, n: 1, logprobs: false, response_format: { type: 'text' } },
      { whatever: { nested: true } },
    ]) {
      expect((await server.complete('Hi', fine)).status).toBe(200)
    }
  })
})

describe('GET /models', () => {
  it('lists both models, and every id of theirs generates', async () => {
    const server = await testServer()
    const { json } = await server.send('GET', '/api/openai/models')
    expect(json.object).toBe('list')
    const ids = json.data.flatMap(({ id, aliases }: { id: string; aliases: string[] }) => [
      id,
      ...aliases,
    ])
    expect(ids).toEqual(['SVC-Vision', 'svc-main-model', 'SVC-Main'])
    for (const model of ids) {
      expect((await server.complete('Hi', { model })).json.model).toBe(model)
    }
  })
})

it('fails before the answer when the prompt orders it', async () => {
  const server = await testServer()
  const { status, headers, json } = await server.complete('[[error=429]]', { stream: true })
  expect([status, headers.get('retry-after')]).toEqual([429, '1'])
  expect(json.error).toMatchObject({ type: 'rate_limit_error' })
})
