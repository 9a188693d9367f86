/** The document against the list of routes of the contract, and against real answers of the server. */
import { describe, expect, it } from 'vitest'
import { type Operation, operations } from '../../contract/operations.ts'
import { assistants, seededBaseId } from '../answering/assistant-context.ts'
import { encodeBlock, type SseBlock } from '../events/sequence.ts'
import type { Call, Reply, Route } from '../http/call.ts'
import type { Patch } from '../services.ts'
import { allRoutes } from '../surfaces/all-routes.ts'
import { countingIds, type Json, type TestServer, testServer } from '../test-support/server.ts'

describe('/openapi.json', () => {
  const read = async (): Promise<Json> => {
    const server = await testServer()
    return (await server.send('GET', '/openapi.json', { headers: { authorization: '' } })).json
  }
  const operationsOf = (document: Json) =>
    Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
      Object.values<Json>(methods).map((operation) => ({ path, operation })),
    )

  it('contains all routes of the interface document with their security', async () => {
    const document = await read()
    for (const { method, path } of Object.values<Operation>(operations)) {
      const operation = document.paths[path]?.[method.toLowerCase()]
      expect([path, operation?.security]).toEqual([path, [{ key: [] }]])
    }
    expect(operationsOf(document).length).toBeGreaterThan(40)
  })

  it('has unique operation ids and all path parameters', async () => {
    const all = operationsOf(await read())
    const ids = all.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { path, operation } of all) {
      const inPath = operation.parameters.filter((one: Json) => one.in === 'path')
      expect(inPath.map((one: Json) => `{${one.name}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
    }
  })

  it('contains required fields of bodies, queries, forms and headers', async () => {
    const document = await read()
    const generate = document.paths['/api/v3/message/generate'].post
    const schema = generate.requestBody.content['application/json'].schema
    expect(schema.required).toEqual(['chat_id', 'input', 'model_id'])
    expect(generate.parameters).toMatchObject([{ name: 'Idempotency-Key', in: 'header' }])
    expect(Object.keys(generate.responses[200].content)).toEqual([
      'application/json',
      'text/event-stream',
    ])
    const [chatId, limit] = document.paths['/api/v3/message'].get.parameters
    expect(chatId).toMatchObject({ name: 'chat_id', in: 'query', required: true })
    expect(limit).toMatchObject({ required: false, schema: { type: 'integer', default: 50 } })
    const upload = document.paths['/api/v3/attachment'].post.requestBody
    expect(upload.content['multipart/form-data'].schema).toMatchObject({
      required: ['file'],
      properties: { file: { format: 'binary' }, chat_id: { type: 'string' } },
    })
  })
})

it('/docs is a page without external resources', async () => {
  const server = await testServer()
  const page = await server.send('GET', '/docs')
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.text).not.toMatch(/<script|(?:src|href)="(?!\/openapi\.json")/)
  for (const { method, path, summary } of allRoutes(server.services)) {
    expect(page.text).toContain(`<b>${method}</b> <code>${path}</code> ${summary}`)
  }
  expect((await server.send('GET', '/openapi.json')).status).toBe(200)
  const nothing = await server.send('GET', '/docs/nothing')
  expect([nothing.status, nothing.json.error.code]).toEqual([404, 'not_found'])
})

it('all routes respond as documented (vitest --update=all writes the examples)', async () => {
  const exchanges: SeenExchange[] = []
  const server = await testServer({
    clock: { now: () => Date.UTC(2026, 0, 2, 3, 4, 5), sleep: async () => {} },
    ids: countingIds(),
    patch: watched(exchanges),
  })
  await tour(server)
  const examples = allRoutes(server.services).map((route) => {
    const name = `${route.method} ${route.path}`
    const own = exchanges.filter(({ call }) => isCallOf(route, call))
    expect([name, own.length > 0]).toEqual([name, true])
    for (const { reply } of own) {
      expect([name, reply.status]).toEqual([name, route.status])
      if ('blocks' in reply) expect(route.stream).toBeDefined()
      else if (route.answer === undefined) expect(reply.body).toBeUndefined()
      else expect(route.answer.parse(reply.body)).toEqual(reply.body)
    }
    return `${JSON.stringify(name)}: ${JSON.stringify(exampleOf(own))}`
  })
  await expect(`{\n${examples.join(',\n')}\n}\n`).toMatchFileSnapshot('./examples.json')
}, 60_000)

interface SeenExchange {
  readonly call: Call
  readonly reply: Reply
  readonly blocks: SseBlock[]
}

function watched(exchanges: SeenExchange[]): Patch {
  return (services) => ({
    ...services,
    outgoing: (call, reply) => {
      const one: SeenExchange = { call, reply, blocks: [] }
      exchanges.push(one)
      return 'blocks' in reply ? { ...reply, blocks: kept(reply.blocks, one.blocks) } : reply
    },
  })
}

async function* kept(blocks: AsyncIterable<SseBlock>, into: SseBlock[]) {
  for await (const block of blocks) {
    into.push(block)
    yield block
  }
}

const maxBlocks = 3

/** JSON omits what is undefined. */
function exampleOf(exchanges: readonly SeenExchange[]) {
  const value = exchanges.find(({ reply }) => !('blocks' in reply))
  const stream = exchanges.find(({ reply }) => 'blocks' in reply)
  const events = stream?.blocks.slice(0, maxBlocks).map((block) => String(encodeBlock(block)))
  return {
    request: value?.call.file === undefined ? value?.call.body : undefined,
    answer: value && 'body' in value.reply ? value.reply.body : undefined,
    stream: events?.join(''),
  }
}

/** Literal segments take precedence over parameters, as in the router. */
function isCallOf(route: Route, { method, path }: Call): boolean {
  if (path.endsWith('/chat/favorite') && route.path.endsWith(':chat_id')) return false
  const pattern = route.path.replace(/:\w+/g, '[^/]+')
  return route.method === method && new RegExp(`^${pattern}$`).test(path)
}

/** At least one success of every route; JSON omits undefined values from the compared bodies. */
async function tour(server: TestServer): Promise<void> {
  const get = (path: string) => server.send('GET', path)
  const model_id = 'SVC-Main'
  const catalog = ['/api/openai/models', '/api/openai/models/SVC-Main', '/api/v3/model']
  for (const path of ['/healthz', '/readyz', ...catalog, '/api/v3/assistant']) await get(path)
  for (const stream of [false, true]) await server.complete('Hi', { stream })
  const old = await server.newV2Chat()
  const message = { chat_id: old, model_id, content: 'What time is it?', think: true }
  const parent_id = (await server.send('POST', '/api/v2/message', { body: message })).json.id
  const reply = { chat_id: old, model_id, parent_id }
  await server.send('POST', '/api/v2/message/generate', { body: reply })
  for (const path of ['/api/v2/chat', `/api/v2/chat/${old}`]) await get(path)
  await server.send('DELETE', `/api/v2/chat/${old}`)
  const chat_id = await server.newChat()
  const chat = `/api/v3/chat/${chat_id}`
  const assistant_id = assistants[0]?.id
  const body = { chat_id, assistant_id, input: 'Where is the ferry?', rag: true, think: true }
  for (const stream of [false, true]) {
    await server.generate({ ...body, stream })
    await server.oneShot({ input: 'Hi', stream })
  }
  await server.upload({ name: 'a.txt', content: 'x' }, { chat_id })
  await server.send('POST', `${chat}/favorite`)
  await server.send('POST', `${chat}/generate-name`)
  await server.send('PATCH', chat, { body: { name: 'x' } })
  const lists = ['/api/v3/chat', '/api/v3/chat/favorite', '/api/v3/attachment']
  const ofChat = [chat, `${chat}/attachments`, `/api/v3/message?chat_id=${chat_id}`]
  for (const path of [...lists, ...ofChat]) await get(path)
  await server.send('DELETE', `${chat}/favorite`)
  await server.send('DELETE', chat)
  for (const prefix of ['/api/knowledge', '/api/v3/knowledge']) {
    const base = (await server.send('POST', prefix, { body: { name: 'x' } })).json.id
    const documents = `${prefix}/${base}/documents`
    const { json } = await server.upload({ name: 'a.txt', content: 'x' }, {}, documents)
    for (const path of [prefix, `${prefix}/${base}`, documents]) await get(path)
    await get(`${prefix}/${seededBaseId}/search?q=ferry`)
    await server.send('POST', `${prefix}/${seededBaseId}/search`, { body: { query: 'ferry' } })
    await server.send('DELETE', `${documents}/${json.id}`)
    await server.send('DELETE', `${prefix}/${base}`)
  }
}
