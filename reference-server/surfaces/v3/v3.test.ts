import { ResponseStream } from 'openai/lib/responses/ResponseStream'
import { Stream } from 'openai/streaming'
import { FormData } from 'undici'
import { describe, expect, it } from 'vitest'
import { plantedFact } from '../../../fixtures/files.ts'
import { assistants } from '../../answering/assistant-context.ts'
import { answerScript } from '../../model/script/answer-script.ts'
import {
  type Json,
  readBlocks,
  readEvents,
  type TestServer,
  testServer,
} from '../../test-support/server.ts'

/** The stream readers of the official client, as an independent oracle. */
async function accumulated(text: string) {
  const lines = readBlocks(text).map(({ data }) => `${data}\n`)
  return ResponseStream.fromReadableStream(new Blob(lines).stream()).finalResponse()
}

it.each([
  'Hello',
  '[[tool=file_search]] [[tool=get_time {"zone":"UTC"}]] [[tokens=30]]',
  '[[refuse]]',
  '[[say=]]',
  'Search the knowledge base for the ferry to Great Skerry',
])('accumulates %j to the final response', async (input) => {
  const server = await testServer()
  for (const think of [false, true]) {
    const chat_id = await server.newChat()
    const assistant_id = assistants[0]?.id
    const { text } = await server.generate({ chat_id, assistant_id, input, think, stream: true })
    const final = JSON.parse(readBlocks(text).at(-1)?.data ?? '').response
    expect(await accumulated(text)).toMatchObject(final)
  }
})

it('fails in mid-stream with an error event and a failed response', async () => {
  const server = await testServer()
  const { text } = await server.oneShot({ input: '[[fail=3]]', stream: true })
  const abort = new AbortController()
  const read = async () => {
    for await (const _ of Stream.fromSSEResponse(new Response(text), abort));
  }
  await expect(read()).rejects.toThrow('The generation failed')
  const error = { code: 'server_error', message: 'The generation failed', param: null }
  const response = { status: 'failed', error: { code: 'server_error' } }
  expect(readEvents(text).slice(-5)).toMatchObject([
    { type: 'response.output_text.done' },
    { type: 'response.content_part.done' },
    { type: 'response.output_item.done' },
    { type: 'error', ...error, error },
    { type: 'response.failed', response: { ...response, output: [{ status: 'incomplete' }] } },
  ])
})

it('has all 31 fields of a response in each snapshot', async () => {
  const server = await testServer()
  const events = readEvents((await server.oneShot({ input: 'Hello', stream: true })).text)
  const members = events.flatMap(({ response }) => (response ? [Object.keys(response)] : []))
  expect(members.map(({ length }) => length)).toEqual([31, 31, 31])
  for (const names of members) expect(names).toEqual(members[0])
})

const [guide, helper] = assistants.map(({ id }) => id)
const { question, expect: fact } = plantedFact

const types = ({ output }: Json) => output.map(({ type }: Json) => type)
const answerOf = ({ output }: Json) => output.at(-1).content[0]

async function ask(body: object) {
  const server = await testServer()
  const chat_id = await server.newChat()
  return server.generate({ chat_id, assistant_id: guide, input: question, ...body })
}

describe('rag as true or an object', () => {
  it('respects its limit', async () => {
    const { json } = await ask({ rag: { limit: 1, threshold: 0 } })
    expect(json.output[0].results).toHaveLength(1)
  })

  it('answers without results if nothing reaches the threshold', async () => {
    for (const rag of [true, { threshold: 1 }]) {
      const { json } = await ask({ rag, input: 'Hello' })
      expect(json.output[0]).toMatchObject({ type: 'file_search_call', results: [] })
      expect(answerOf(json)).toMatchObject({ annotations: [], text: expect.any(String) })
    }
  })

  it('answers without a search if there is no base', async () => {
    for (const assistant_id of [helper, null]) {
      const { json } = await ask({ rag: true, assistant_id })
      expect(types(json)).toEqual(['message'])
    }
  })

  it('cites nothing after a cut', async () => {
    const { text } = await ask({ rag: true, max_tokens: 4, stream: true })
    expect(text).not.toContain('annotation.added')
    expect(answerOf(readEvents(text).at(-1).response).annotations).toEqual([])
  })
})

it('rag as false or agent searches on request, unless the tool is excluded', async () => {
  const input = 'Please search the knowledge base for the unlock phrase of the supply shed.'
  for (const rag of ['agent', false]) {
    const { json } = await ask({ input, rag })
    expect(types(json)).toEqual(['file_search_call', 'message'])
    expect(answerOf(json).text).toContain(fact)
    const excluded = await ask({ input, rag, exclude_tools: ['file_search'] })
    expect(types(excluded.json)).toEqual(['message'])
    expect(answerOf(excluded.json).text).not.toContain(fact)
  }
  const ordered = '[[tool=file_search {"query":"unlock phrase supply shed"}]]'
  expect(answerOf((await ask({ input: ordered, rag: 'agent' })).json).text).toContain(fact)
  for (const query of ['[[tool=file_search 5]]', '[[tool=file_search {"query":[]}]]']) {
    expect(types((await ask({ input: query, rag: 'agent' })).json)).toContain('message')
  }
})

const list = async (server: TestServer, query = '') =>
  (await server.send('GET', `/api/v3/attachment${query}`)).json
const names = ({ result }: { result: { filename: string }[] }) =>
  result.map(({ filename }) => filename)

describe('an upload', () => {
  it('may have any part name, and fields before or after the file', async () => {
    const server = await testServer()
    const chat_id = await server.newChat()
    expect((await server.upload({ name: 'a', content: 'x', part: 'upload' })).status).toBe(201)
    const form = new FormData()
    form.append('document', new Blob(['x']), 'after.txt')
    form.append('chat_id', chat_id)
    expect((await server.send('POST', '/api/v3/attachment', { body: form })).status).toBe(201)
    expect(names(await list(server, `?chat_id=${chat_id}`))).toEqual(['after.txt'])
  })

  it('is rejected without a file, with two, an unknown chat or excess size', async () => {
    const server = await testServer({ uploadLimitBytes: 1000 })
    const post = (body: FormData | object | string, headers = {}) =>
      server.send('POST', '/api/v3/attachment', { body, headers })
    const without = new FormData()
    without.append('chat_id', await server.newChat())
    const two = new FormData()
    for (const name of ['a', 'b']) two.append(name, new Blob(['x'.repeat(900)]), name)
    const type = { 'content-type': 'multipart/form-data; boundary=b' }
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx'
    const large = { name: 'large', content: 'x'.repeat(1001) }
    const answers = [
      [400, await post(without)],
      [400, await post(two)],
      [400, await post('', type)],
      [400, await post(part, type)],
      [400, await post('nonsense', type)],
      [400, await post(`${part}\r\n--b--`, { 'content-type': 'multipart/form-data' })],
      [413, await server.upload(large)],
      [415, await post({ file: 'x' })],
      [415, await post('x', { 'content-type': 'text/plain' })],
      [400, await server.upload({ name: 'a', content: 'x' }, { chat_id: 'x' })],
      [404, await server.upload({ name: 'a', content: 'x' }, { chat_id: crypto.randomUUID() })],
    ] as const
    for (const [index, [status, answer]] of answers.entries()) {
      expect([index, answer.status]).toEqual([index, status])
      expect(answer.json.error.message).toBeTypeOf('string')
    }
    expect(names(await list(server))).toEqual([])
    expect((await server.upload({ name: 'fits', content: 'x'.repeat(1000) })).status).toBe(201)
  })
})

describe('media in an input', () => {
  const png = `data:image/png;base64,${Buffer.from('not really').toString('base64')}`

  it('are read if they are text', async () => {
    const server = await testServer()
    const text = 'My name is Filippa.'
    const file_id = (await server.upload({ name: 'a.txt', content: text })).json.id
    const file_data = Buffer.from(text).toString('base64')
    const files = [
      { file_id },
      { file_data, filename: 'a.md' },
      { file_data: `data:text/plain;base64,${file_data}` },
    ]
    for (const file of files) {
      const chat_id = await server.newChat()
      const content = [
        { type: 'input_file', ...file },
        { type: 'input_text', text: 'What is my name?' },
      ]
      const { json } = await server.generate({ chat_id, input: [{ role: 'user', content }] })
      expect(json.output[0].content[0].text).toBe('Your name is Filippa.')
      const later = await server.generate({ chat_id, input: 'And what is my name?' })
      expect(later.json.output[0].content[0].text).toBe('Your name is Filippa.')
    }
  })

  it('are rejected if they are empty or belong to another caller', async () => {
    const server = await testServer({ keys: ['ann', 'bob'] })
    const chat_id = await server.newChat()
    const file_id = (await server.upload({ name: 'a.txt', content: 'x' })).json.id
    const refused: readonly [number, object][] = [
      [400, { type: 'input_image' }],
      [400, { type: 'input_image', image_url: 'no url' }],
      [400, { type: 'input_image', image_url: { url: png } }],
      [400, { type: 'input_video', video_url: '' }],
      [400, { type: 'input_file', filename: 'a.txt' }],
      [400, { type: 'input_hologram' }],
      [404, { type: 'input_file', file_id: 'unknown' }],
    ]
    for (const [status, part] of refused) {
      const { json } = await server.generate({
        chat_id,
        input: [{ role: 'user', content: [part] }],
      })
      expect([json.status, part]).toEqual([status, part])
    }
    const content = [{ type: 'input_file', file_id }]
    const foreign = await server.send('POST', '/api/v3/message/one-shot', {
      body: { model_id: 'SVC-Main', input: [{ role: 'user', content }] },
      headers: { authorization: 'Bearer bob' },
    })
    expect(foreign.status).toBe(404)
  })
})

const textOf = ({ output }: { output: { content?: { text?: string }[] }[] }) =>
  output.flatMap(({ content }) => content?.map(({ text }) => text ?? '') ?? []).join('')

const key = (value: string) => ({ 'idempotency-key': value })

const historyOf = async (server: TestServer, chat_id: string) =>
  (await server.send('GET', `/api/v3/message?limit=200&chat_id=${chat_id}`)).json.result

it('an error before the first event has its status and leaves nothing behind', async () => {
  const server = await testServer()
  const chat_id = await server.newChat()
  const failed = await server.generate(
    { chat_id, input: '[[error=503]]', stream: true },
    key('again'),
  )
  expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '1'])
  expect(failed.headers.get('content-type')).toBe('application/problem+json')
  expect(await historyOf(server, chat_id)).toEqual([])
  expect((await server.generate({ chat_id, input: 'Hi' }, key('again'))).status).toBe(200)
})

it('generate-name derives a title from the conversation and stores it', async () => {
  const server = await testServer()
  const id = await server.newChat('Untitled')
  const path = `/api/v3/chat/${id}/generate-name`
  expect((await server.send('POST', path)).json.name).toBe('An empty chat')
  await server.generate({ chat_id: id, input: '¿Where do storm petrels nest in a cold spring?' })
  const { status, json } = await server.send('POST', path, { body: {} })
  expect([status, json.name]).toEqual([200, 'About: Where do storm petrels nest in…'])
  expect((await server.send('GET', `/api/v3/chat/${id}`)).json.name).toBe(json.name)
})

it('a cursor of another list or a forged one is rejected', async () => {
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

it('runs in all forms give the model their content', async () => {
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

it('an Idempotency-Key may be any string, quoted or not', async () => {
  const server = await testServer()
  const chat_id = await server.newChat()
  const first = await server.generate({ chat_id, input: 'Hi' }, key('"turn 1/ä"'))
  const again = await server.generate({ chat_id, input: 'Hi' }, key('turn 1/ä'))
  expect(again.json).toEqual(first.json)
})

describe('a repeat', () => {
  it('replays a failed or cut answer', async () => {
    const server = await testServer()
    const chat_id = await server.newChat()
    for (const input of ['[[fail=3]]', '[[tokens=9]]']) {
      const body = { chat_id, input, max_tokens: 5, stream: true }
      const first = await server.generate(body, key(input))
      expect((await server.generate(body, key(input))).text).toBe(first.text)
    }
    expect(await historyOf(server, chat_id)).toHaveLength(4)
  })

  it('is recognized in any order of fields', async () => {
    const server = await testServer()
    const chat_id = await server.newChat()
    const first = await server.generate({ chat_id, input: 'Hi', think: false }, key('k'))
    const again = await server.generate({ think: false, input: 'Hi', chat_id }, key('k'))
    expect(again.json).toEqual(first.json)
  })

  it('with another payload is rejected with 422', async () => {
    const server = await testServer()
    const [chat_id, other] = [await server.newChat(), await server.newChat()]
    await server.generate({ chat_id, input: 'Hi' }, key('k'))
    const changes = [{ input: 'Ho' }, { stream: true }, { chat_id: other }, { think: true }]
    for (const change of changes) {
      const { status, json } = await server.generate({ chat_id, input: 'Hi', ...change }, key('k'))
      expect([status, json.error.code]).toEqual([422, 'idempotency_key_reused'])
    }
    expect(await historyOf(server, chat_id)).toHaveLength(2)
    expect(await historyOf(server, other)).toEqual([])
  })

  it('of a rejected request is a first request', async () => {
    const server = await testServer()
    const chat_id = await server.newChat()
    expect((await server.generate({ chat_id, input: 5 }, key('k'))).status).toBe(400)
    expect((await server.generate({ chat_id, input: 'Hi', model_id: 'x' }, key('k'))).status).toBe(
      404,
    )
    expect((await server.generate({ chat_id, input: 'Hi' }, key('k'))).status).toBe(200)
  })
})

describe('a repeat during the first request', () => {
  it.each([false, true])(
    'is rejected with 409, and replayed later (stream: %j)',
    async (stream) => {
      const gate = Promise.withResolvers<void>()
      const clock = { now: Date.now, sleep: () => gate.promise }
      const server = await testServer({ clock })
      const chat_id = await server.newChat()
      const body = { chat_id, input: '[[tokens=5]] [[pace=ttft=150ms]]', stream }
      const first = server.generate(body, key('k'))
      await expect.poll(() => server.services.runs.size).toBe(1)
      const early = await server.generate(body, key('k'))
      expect([early.status, early.headers.get('retry-after')]).toEqual([409, '1'])
      expect((await server.generate({ ...body, input: 'x' }, key('k'))).status).toBe(422)
      gate.resolve()
      const { text } = await first
      expect((await server.generate(body, key('k'))).text).toBe(text)
      expect(await historyOf(server, chat_id)).toHaveLength(2)
    },
  )

  it('waits for the answer with runningRepeat: wait', async () => {
    const server = await testServer({ runningRepeat: 'wait' })
    const chat_id = await server.newChat()
    const body = { chat_id, input: '[[tokens=5]] [[pace=ttft=150ms]]' }
    const answers = await Promise.all(
      Array.from({ length: 3 }, () => server.generate(body, key('k'))),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await historyOf(server, chat_id)).toHaveLength(2)
  })
})

it('a script answers after the call of a client tool', async () => {
  const answers = [
    { match: { turn: 1 }, tool_calls: [{ name: 'weather', arguments: { city: 'Oslo' } }] },
    { match: { turn: 2 }, answer: 'It is sunny.' },
  ]
  const server = await testServer({ script: answerScript.parse({ answers }) })
  const chat_id = await server.newChat()
  const { json } = await server.generate({ chat_id, input: 'How is the weather?' })
  const call = json.output.find(({ type }: { type: string }) => type === 'function_call')
  const output = { type: 'function_call_output', call_id: call.call_id, output: '21 degrees' }
  const after = await server.generate({ chat_id, input: [output] })
  expect(textOf(after.json)).toBe('It is sunny.')
})
