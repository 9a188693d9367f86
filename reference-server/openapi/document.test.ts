/** The document against the list of routes of the contract, and against real answers of the server. */
import { describe, expect, it } from 'vitest'
import { type Operation, operations } from '../../contract/operations.ts'
import { encodeBlock, type SseBlock } from '../events/sse.ts'
import type { Call, Reply } from '../http/call.ts'
import type { Patch } from '../services.ts'
import { allRoutes } from '../surfaces/all-routes.ts'
import { countingIds, type Json, testServer } from '../test-support/server.ts'
import { isCallOf, tour } from '../test-support/tour.ts'

describe('/openapi.json', () => {
  const read = async (): Promise<Json> => {
    const server = await testServer()
    return (await server.send('GET', '/openapi.json', { headers: { authorization: '' } })).json
  }
  const operationsOf = (document: Json) =>
    Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
      Object.values<Json>(methods).map((operation) => ({ path, operation })),
    )

  it('shows every route of the interface document, with its security', async () => {
    const document = await read()
    for (const { method, path } of Object.values<Operation>(operations)) {
      const operation = document.paths[path]?.[method.toLowerCase()]
      expect([path, operation?.security]).toEqual([path, [{ key: [] }]])
    }
    expect(operationsOf(document).length).toBeGreaterThan(40)
  })

  it('names each operation once, and each parameter of its path', async () => {
    const all = operationsOf(await read())
    const ids = all.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { path, operation } of all) {
      const inPath = operation.parameters.filter((one: Json) => one.in === 'path')
      expect(inPath.map((one: Json) => `{${one.name}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
    }
  })

  it('shows what is required, of bodies, queries, forms and headers', async () => {
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

it('/docs shows the reference page with nothing from elsewhere', async () => {
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

it('every route answers with status, shape and examples of the document: vitest --update=all writes the examples', async () => {
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
