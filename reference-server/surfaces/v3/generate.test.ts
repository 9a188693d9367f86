import { describe, expect, it } from 'vitest'
import {
  joined,
  readBlocks,
  readEvents,
  type TestServer,
  testServer,
} from '../../test-support/server.ts'

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
})

describe('context', () => {
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

it('generates a title out of what was said, and takes it for the name', async () => {
  const server = await testServer()
  const id = await server.newChat('Untitled')
  const path = `/api/v3/chat/${id}/generate-name`
  expect((await server.send('POST', path)).json.name).toBe('An empty chat')
  await server.generate({ chat_id: id, input: '¿Where do storm petrels nest in a cold spring?' })
  const { status, json } = await server.send('POST', path, { body: {} })
  expect([status, json.name]).toEqual([200, 'About: Where do storm petrels nest in…'])
  expect((await server.send('GET', `/api/v3/chat/${id}`)).json.name).toBe(json.name)
})

it('takes no cursor of another list, and none that it did not make', async () => {
  const server = await testServer()
  const [one, other] = [await server.newChat(), await server.newChat()]
  await server.generate({
    chat_id: one,
    input: Array.from({ length: 5 }, () => ({ role: 'user', content: 'Hi' })),
  })
  const { json } = await server.send('GET', `/api/v3/message?chat_id=${one}&limit=1`)
  const forged = Buffer.from(JSON.stringify([`history ${other}`, -4])).toString('base64url')
  for (const cursor of [json.pagination.cursor, forged, 'x', '', '%00']) {
    const answer = await server.send('GET', `/api/v3/message?chat_id=${other}&cursor=${cursor}`)
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_cursor'])
  }
})

it('knows what runs tell, in all their forms, and nothing else', async () => {
  const server = await testServer()
  const ask = async (runs?: object[]) =>
    textOf((await server.oneShot({ input: 'What is my name?', runs })).json)
  const statement = { role: 'user', content: [{ type: 'input_text', text: 'My name is Q7-x.' }] }
  const earlier = await server.oneShot({ input: 'My name is Q7-x.' })
  const introduction = [
    [{ id: 'r1', input: 'My name is Q7-x.', output: earlier.json.output }],
    [{ id: 'r1', input: [statement], output: [] }],
    [{ id: 'r1', output: [statement] }],
    [{ id: 'r1', output: 'I see, your name is Q7-x.' }],
    [{ input: 'My name is Q7-x.' }, { ...earlier.json }],
  ]
  for (const runs of introduction) expect(await ask(runs)).toBe('Your name is Q7-x.')
  expect(await ask()).not.toContain('Q7-x')
  expect(await ask([])).not.toContain('Q7-x')
})

it('says what the model was asked to say, errors included', async () => {
  const server = await testServer()
  expect((await server.oneShot({ input: '[[error=503]]', stream: true })).status).toBe(503)
  const failed = await server.oneShot({ input: '[[fail=2]]', stream: true })
  expect(readEvents(failed.text).at(-1).type).toBe('response.failed')
  const cut = await server.oneShot({ input: '[[tokens=9]]', max_tokens: 3 })
  expect(cut.json.incomplete_details).toEqual({ reason: 'max_output_tokens' })
})
