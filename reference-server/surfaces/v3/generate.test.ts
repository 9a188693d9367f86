import { describe, expect, it } from 'vitest'
import { type TestServer, testServer } from '../../test-support/server.ts'
import { joined, readBlocks, readEvents } from '../../test-support/sse.ts'

const textOf = ({ output }: { output: { content?: { text?: string }[] }[] }) =>
  output.flatMap(({ content }) => content?.map(({ text }) => text ?? '') ?? []).join('')

const historyOf = async (server: TestServer, chat_id: string) =>
  (await server.send('GET', `/api/v3/message?limit=200&chat_id=${chat_id}`)).json.result

describe('both forms', () => {
  const bodies = [
    { input: 'Hello' },
    { input: 'Hello', think: true },
    { input: 'What time is it?', think: true },
    { input: '[[tokens=60]]', max_tokens: 20, temperature: 0.5, top_p: 0.9, presence_penalty: 1 },
    { input: '[[refuse]]' },
    { input: '[[fail=4]]' },
  ]
  const withoutIds = (value: unknown) =>
    JSON.parse(JSON.stringify(value), (name, member) =>
      ['id', 'call_id', 'created_at', 'completed_at'].includes(name) && member !== null
        ? typeof member
        : member,
    )

  it.each(bodies)('end in the same object: %j', async (body) => {
    const server = await testServer()
    const [one, other] = [await server.newChat(), await server.newChat()]
    const whole = await server.generate({ chat_id: one, ...body })
    expect(whole.status).toBe(200)
    const stream = await server.generate({ chat_id: other, ...body, stream: true })
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    const events = readEvents(stream.text)
    const final = events.at(-1).response
    expect(withoutIds(final)).toEqual(withoutIds(whole.json))
    expect(joined(events, 'response.output_text.delta')).toBe(
      textOf({ output: final.output.filter(({ type }: { type: string }) => type === 'message') }),
    )
    for (const { event, data } of readBlocks(stream.text)) expect(JSON.parse(data).type).toBe(event)
    const rows = await historyOf(server, other)
    expect(rows.slice(1).map(({ item }: { item: object }) => item)).toEqual(final.output)
  })

  it('repeat what was asked for', async () => {
    const server = await testServer()
    const settings = { temperature: 0.5, top_p: 0.9, presence_penalty: 1 }
    const { json } = await server.generate({
      chat_id: await server.newChat(),
      input: '[[tokens=60]]',
      max_tokens: 20,
      ...settings,
    })
    expect(json).toMatchObject({
      ...settings,
      max_output_tokens: 20,
      model: 'svc-main-model',
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
      usage: { output_tokens: 20 },
    })
  })
})

it('reasons in the stream with think, and never without', async () => {
  const server = await testServer()
  const chat_id = await server.newChat()
  const [thinking, plain] = [
    await server.generate({ chat_id, input: 'Hello', think: true, stream: true }),
    await server.generate({ chat_id, input: 'Hello', stream: true }),
  ]
  const events = readEvents(thinking.text)
  expect(joined(events, 'response.reasoning_text.delta')).not.toBe('')
  expect(events.at(-1).response.usage.output_tokens_details.reasoning_tokens).toBeGreaterThan(0)
  expect(plain.text).not.toContain('reasoning_text')
  expect(plain.text).not.toContain('"type":"reasoning"')
})

describe('context', () => {
  it('is the whole chat, and no other chat', async () => {
    const server = await testServer()
    const [chat_id, other] = [await server.newChat(), await server.newChat()]
    await server.generate({ chat_id, input: 'My name is Q7-x.' })
    await server.generate({ chat_id, input: 'Something else' })
    const reply = await server.generate({ chat_id, input: 'What is my name?' })
    expect(textOf(reply.json)).toContain('Q7-x')
    const stranger = await server.generate({ chat_id: other, input: 'What is my name?' })
    expect(textOf(stranger.json)).not.toContain('Q7-x')
  })

  it('with parent_id is the chain that leads there', async () => {
    const server = await testServer()
    const chat_id = await server.newChat()
    const ann = await server.generate({ chat_id, input: 'My name is Ann.' })
    const bea = await server.generate({ chat_id, input: 'My name is Bea.' })
    const ask = (parent_id: string) =>
      server.generate({ chat_id, parent_id, input: 'What is my name?' })
    const { json } = await ask(ann.json.id)
    expect([textOf(json), json.previous_response_id]).toEqual(['Your name is Ann.', ann.json.id])
    expect(textOf((await ask(bea.json.output[0].id)).json)).toBe('Your name is Bea.')
    const unknown = await ask('resp_unknown')
    expect([unknown.status, unknown.json.error.param]).toEqual([404, 'parent_id'])
  })

  it('reads several messages in one input, and tool answers', async () => {
    const server = await testServer()
    const chat_id = await server.newChat()
    const input = [
      { role: 'user', content: 'My name is Cleo.' },
      { role: 'assistant', content: 'Noted.' },
      { role: 'user', content: [{ type: 'input_text', text: 'What is my name?' }] },
    ]
    expect(textOf((await server.generate({ chat_id, input })).json)).toBe('Your name is Cleo.')
    const output = { type: 'function_call_output', call_id: 'call_1', output: '12:34' }
    expect(textOf((await server.generate({ chat_id, input: [output] })).json)).toContain('12:34')
  })
})

describe('tools', () => {
  const calls = ({ output }: { output: { type: string; name?: string }[] }) =>
    output.flatMap(({ type, name }) => (type === 'function_call' ? [name] : []))

  it('are restricted by either list', async () => {
    const server = await testServer()
    const chat_id = await server.newChat()
    const ask = async (lists: object) =>
      (await server.generate({ chat_id, input: 'What time is it?', ...lists })).json
    expect(calls(await ask({}))).toEqual(['get_time'])
    expect(calls(await ask({ include_tools: ['get_time'] }))).toEqual(['get_time'])
    expect(calls(await ask({ exclude_tools: ['get_weather'] }))).toEqual(['get_time'])
    for (const lists of [{ exclude_tools: ['get_time'] }, { include_tools: ['get_weather'] }]) {
      const json = await ask(lists)
      expect(calls(json)).toEqual([])
      expect(JSON.stringify(json)).not.toContain('get_time')
    }
  })

  it('are not restricted by both lists at once', async () => {
    const server = await testServer()
    const chat_id = await server.newChat()
    const lists = { include_tools: ['get_time'], exclude_tools: ['get_weather'] }
    const { status, json } = await server.generate({ chat_id, input: 'Hi', ...lists })
    expect([status, json.error.param]).toEqual([400, 'include_tools'])
    expect(await historyOf(server, chat_id)).toEqual([])
  })
})

describe('invalid requests', () => {
  const invalid: readonly [string, Record<string, unknown>][] = [
    ['chat_id', { chat_id: 'x' }],
    ['chat_id', { chat_id: undefined }],
    ['model_id', { model_id: undefined }],
    ['model_id', { model_id: 5 }],
    ['input', { input: undefined }],
    ['input', { input: '' }],
    ['input', { input: [] }],
    ['input', { input: 5 }],
    ['input.0', { input: ['x'] }],
    ['input.0.content', { input: [{ role: 'user' }] }],
    ['input.0.role', { input: [{ role: 'robot', content: 'x' }] }],
    ['stream', { stream: 'yes' }],
    ['think', { think: 1 }],
    ['rag', { rag: 'sometimes' }],
    ['assistant_id', { assistant_id: 'x' }],
    ['parent_id', { parent_id: 5 }],
    ['max_tokens', { max_tokens: 0 }],
    ['temperature', { temperature: 3 }],
    ['top_p', { top_p: 2 }],
    ['presence_penalty', { presence_penalty: 'x' }],
    ['include_tools', { include_tools: 'get_time' }],
    ['exclude_tools.0', { exclude_tools: [1] }],
  ]

  it.each(invalid)('are refused with 400 that names %s: %j', async (param, change) => {
    const server = await testServer()
    const chat_id = await server.newChat()
    const { status, json } = await server.generate({ chat_id, input: 'Hi', ...change })
    expect([status, json.error.param]).toEqual([400, param])
    expect(await historyOf(server, chat_id)).toEqual([])
  })

  it('may name a model or a chat that is not there: 404', async () => {
    const server = await testServer()
    const chat_id = await server.newChat()
    const model = await server.generate({ chat_id, input: 'Hi', model_id: 'none' })
    expect([model.status, model.json.error.code]).toEqual([404, 'model_not_found'])
    const chat = await server.generate({ chat_id: crypto.randomUUID(), input: 'Hi' })
    expect([chat.status, chat.json.error.code]).toEqual([404, 'chat_not_found'])
  })
})

it('fails before the first event with an ordinary error, and leaves nothing behind', async () => {
  const server = await testServer()
  const chat_id = await server.newChat()
  const key = { 'idempotency-key': 'again' }
  const failed = await server.generate({ chat_id, input: '[[error=503]]', stream: true }, key)
  expect([failed.status, failed.headers.get('content-type')]).toEqual([
    503,
    'application/problem+json',
  ])
  expect(await historyOf(server, chat_id)).toEqual([])
  expect((await server.generate({ chat_id, input: 'Hi' }, key)).status).toBe(200)
})
