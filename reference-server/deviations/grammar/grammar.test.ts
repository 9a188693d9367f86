import { describe, expect, test } from 'vitest'
import { type TestServer, testServer } from '../../test-support/server.ts'
import { conditionsOf } from './conditions.ts'
import { effectsOf, faultyOperations, generatedFault, generatedFaultNamed } from './draw.ts'

function named(name: string) {
  return generatedFaultNamed(name) ?? expect.unreachable(name)
}

const model_id = 'svc-main-model'
const names = Array.from({ length: 400 }, (_, at) => generatedFault(7, at).name)

describe('a fault of the grammar', () => {
  test('is the same for the same seed and number, and another one for other seeds', () => {
    expect(names).toEqual(Array.from({ length: 400 }, (_, at) => generatedFault(7, at).name))
    expect(names.filter((name, at) => generatedFault(8, at).name === name).length).toBeLessThan(20)
  })

  test('is found by its name, which a list of names can hold', () => {
    for (const name of names) {
      expect(generatedFaultNamed(name)?.name).toBe(name)
      expect(name).not.toContain(',')
    }
    const [first = ''] = names
    expect(generatedFaultNamed(`${first.split(' (')[0]} (stream: perhaps)`)).toBeUndefined()
    expect(generatedFaultNamed('stream-completed-twice')).toBeUndefined()
  })

  test('has an effect and conditions of its operation, each with a name of its own', () => {
    for (const operation of faultyOperations) {
      for (const list of [effectsOf(operation), conditionsOf(operation)]) {
        const all = list.map(({ name }) => name)
        expect([operation, all.filter((name, at) => all.indexOf(name) !== at)]).toEqual([
          operation,
          [],
        ])
      }
      const conditions = conditionsOf(operation).map(({ name }) => name)
      const needed = effectsOf(operation).flatMap(({ needs = [] }) => needs)
      expect(needed.filter((name) => !conditions.includes(name))).toEqual([])
    }
  })

  test('leaves requests alone that do not meet its conditions', async () => {
    const fault = named('openai.chat: the request is refused (model name: alias)')
    const server = await testServer({ patch: fault.patch })
    expect((await server.complete('Hi', { model: model_id })).status).toBe(200)
    expect(fault.reached()).toBe(0)
    expect((await server.complete('Hi', { model: 'SVC-Main' })).status).toBe(400)
    expect(fault.reached()).toBe(1)
  })
})

type Ask = (server: TestServer) => Promise<unknown>

const content =
  (body: object): Ask =>
  async (server) => {
    const { status, headers, json } = await server.complete('[[say=one two three four]]', body)
    return [status, headers.get('content-type'), json?.choices?.[0].message.content]
  }
const messages = (...texts: readonly string[]) =>
  texts.map((text, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: text }))
const complete = (list: readonly object[], body: object = {}) =>
  content({ messages: list, ...body })

const history = async (server: TestServer, chat_id: string, query = '') => {
  const { json } = await server.send('GET', `/api/v3/message?chat_id=${chat_id}${query}`)
  return json
}
/** Turns in one chat; what the last answer says. */
const turns =
  (...bodies: readonly object[]): Ask =>
  async (server) => {
    const chat_id = await server.newChat()
    const answers = []
    for (const body of bodies) answers.push(await server.generate({ chat_id, ...body }))
    const last = answers.at(-1)
    return [last?.status, last?.json?.output?.at(-1)?.content?.[0]?.text]
  }
const stored =
  (body: object, ...paths: readonly string[]): Ask =>
  async (server) => {
    const chat_id = await server.newChat()
    await server.generate({ chat_id, ...body })
    const rows: Record<string, Record<string, unknown>>[] = (await history(server, chat_id)).result
    return rows.map(({ item }) => paths.map((path) => item?.[path]))
  }
const inV2 =
  (...bodies: readonly object[]): Ask =>
  async (server) => {
    const chat_id = await server.newV2Chat()
    const file = (await server.upload({ name: 'b.txt', content: 'My name is Basil.' })).json
    const other = (await server.upload({ name: 'c.txt', content: 'Nothing' })).json
    const all = []
    for (const body of bodies) {
      const text = JSON.stringify(body).replace('"OTHER"', JSON.stringify(other))
      const filled = JSON.parse(text.replace('"FILE"', JSON.stringify(file)))
      const sent = { model_id, chat_id, content: 'Hi', ...filled }
      const { status, json } = await server.send('POST', '/api/v2/message', { body: sent })
      const reply = await server.send('POST', '/api/v2/message/generate', {
        body: { chat_id, model_id, parent_id: json?.id },
      })
      const hours = Math.round((Date.parse(json?.created_at) - Date.now()) / 3_600_000)
      all.push([status, json?.content, json?.model_id, hours, reply.json?.message?.content])
    }
    return all
  }
const listed =
  (count: number, query: string): Ask =>
  async (server) => {
    for (let at = 0; at < count; at += 1) await server.newChat(`Chat ${at}`)
    const { status, json } = await server.send('GET', `/api/v3/chat?${query}`)
    const next = json?.pagination.cursor
    const path = `/api/v3/chat?limit=5&cursor=${next}`
    const headers = { authorization: 'Bearer no-such-key-0' }
    const second = next === null ? undefined : await server.send('GET', path, { headers })
    return [status, json?.result.length, second?.status]
  }
const longHistory =
  (rows: number, query: string): Ask =>
  async (server) => {
    const chat_id = await server.newChat()
    const item = { type: 'message', role: 'user', content: 'Hi' }
    await server.generate({ chat_id, input: Array.from({ length: rows }, () => item) })
    const lengths: number[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const from: string = cursor === '' ? '' : `&cursor=${cursor}`
      const page = await history(server, chat_id, query + from)
      lengths.push(page.result.length)
      cursor = page.pagination.cursor
    }
    return lengths
  }
const wrongKey =
  (change: (key: string) => string): Ask =>
  async (server) => {
    const headers = { authorization: `Bearer ${change(server.keys[0] ?? '')}` }
    return (await server.send('GET', '/api/openai/models', { headers })).status
  }
const name = 'My name is Ada.'
const question = 'What is my name?'
const image = { type: 'input_image', image_url: 'data:image/png;base64,aGk=' }
const withImage = [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: name }, image] },
]
const refusedInV2: Ask = async (server) => {
  const chat_id = await server.newV2Chat()
  const { status } = await server.generate({ chat_id, input: 'A stray turn' })
  return [status, (await server.send('GET', '/api/v3/chat')).json.result.length]
}
const threeModels: Ask = async (server) => {
  const lengths = []
  for (let at = 0; at < 3; at += 1) {
    lengths.push((await server.send('GET', '/api/openai/models')).json.data.length)
  }
  return lengths
}
const searchOfOthers: Ask = async (server) => {
  const bases = []
  for (const base of ['one', 'two']) {
    const { json } = await server.send('POST', '/api/knowledge', { body: { name: base } })
    await server.upload(
      { name: `${base}.txt`, content: `A gate ${base}` },
      {},
      `/api/knowledge/${json.id}/documents`,
    )
    bases.push(json.id)
  }
  const { json } = await server.send('GET', `/api/knowledge/${bases[0]}/search?q=gate`)
  return json.result.length
}

/** Violations that servers had and that no test of ours saw. */
test.each<readonly [string, Ask]>([
  [
    'openai.chat: the request is refused (messages: with assistant)',
    complete(messages(name, 'Hi', question)),
  ],
  [
    'openai.models: the last character of the key is not compared',
    wrongKey((key) => `${key.slice(0, -1)}~`),
  ],
  ['v3.chats: any key is accepted (cursor: given)', listed(6, 'limit=5')],
  ['openai.models: the list is empty (occurrence: every second)', threeModels],
  ['openai.chat: stop is ignored (model name: alias)', content({ stop: 'three' })],
  [
    'openai.chat: stop is ignored (stop text: beyond ASCII)',
    complete(messages('[[say=one Ł two]]'), { stop: 'Ł' }),
  ],
  [
    'openai.chat: a stream is answered with one JSON body (max_tokens: of 1)',
    content({ stream: true, max_tokens: 1 }),
  ],
  [
    'v3.generate: max_tokens is ignored (max_tokens: above 20)',
    turns({ input: '[[tokens=40]]', max_tokens: 30 }),
  ],
  [
    'openai.chat: of earlier turns only the first line is read',
    complete(messages(`Hi\n${name}`, 'Hi', question)),
  ],
  [
    'v3.generate: earlier turns are not read (occurrence: after another model)',
    turns({ input: name, model_id }, { input: question, model_id: 'SVC-Main' }),
  ],
  [
    'v3.generate: earlier turns are not read (rag: given)',
    turns({ input: name }, { input: question, rag: true }),
  ],
  ['v2.message: the request is refused (attachments: an empty list)', inV2({ attachments: [] })],
  [
    'v2.message: only the first element counts of attachments',
    inV2({ content: question, attachments: ['OTHER', 'FILE'] }),
  ],
  ['v2.message: content comes back as a number', inV2({ content: '1234' })],
  ['openai.chat: choices.*.message.content has another type (text: empty)', complete(messages(''))],
  ['v2.message: created_at is in local time', inV2({})],
  ['v2.message: model_id is that of the first answer', inV2({ model_id: 'SVC-Main' }, {})],
  [
    'v3.generate: only the first element counts of exclude_tools',
    turns({ input: 'What time is it?', exclude_tools: ['no_tool', 'get_time'] }),
  ],
  ['v3.history: the default page size is 10 (cursor: given)', longHistory(70, '')],
  ['v3.chats: the last row is lost (limit: above 10)', listed(13, 'limit=12')],
  ['v3.history: the list ends after 100 rows', longHistory(130, '&limit=50')],
  [
    'v3.generate: the text beside an image is lost in input',
    stored({ input: withImage, model_id: 'SVC-Vision' }, 'role', 'content'),
  ],
  ['v3.generate: a refused request leaves a chat', refusedInV2],
  [
    'v3.generate: the last response.output_text.delta is lost (think: true)',
    async (server) => {
      const body = { chat_id: await server.newChat(), input: 'Hi', think: true, stream: true }
      return (await server.generate(body)).text.match(/"delta":/g)?.length
    },
  ],
  ['knowledge.search: documents of other bases are found', searchOfOthers],
])('"%s" is a fault that shows', async (faultName, ask) => {
  const fault = named(faultName)
  const plain = await ask(await testServer())
  const faulty = await ask(await testServer({ patch: fault.patch }))
  expect(faulty).not.toEqual(plain)
  expect(fault.reached()).toBeGreaterThan(0)
})
