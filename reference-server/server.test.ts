import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { questionIds } from '../contract/index.ts'
import { seededBaseId } from './answering/assistant-context.ts'
import { openStore } from './store/open-store.ts'
import {
  openCompletion,
  openStream,
  readAll,
  readBlocks,
  readEvents,
  testServer,
} from './test-support/server.ts'

const key = { 'idempotency-key': 'k' }

it('generates a key if none is given', async () => {
  const [one, other] = [await testServer(), await testServer()]
  expect(one.keys).toHaveLength(1)
  expect(one.keys).not.toEqual(other.keys)
  expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect((await one.complete('Hi')).status).toBe(200)
})

it('gives the same answers with the same seed, and others with another', async () => {
  const answerOf = async (seed: number) =>
    (await (await testServer({ seed })).complete('Hi')).json.choices[0].message.content
  const [one, other] = [await answerOf(5), await answerOf(6)]
  expect(await answerOf(5)).toBe(one)
  expect(other).not.toBe(one)
})

it('closes at once when idle, even twice', async () => {
  const server = await testServer({ closeDeadlineMs: 60_000 })
  // The global fetch keeps its connection alive.
  await (await fetch(`${server.url}/healthz`)).text()
  const unused = connect(Number(new URL(server.url).port), '127.0.0.1')
  await once(unused, 'connect')
  await expect.poll(() => server.connections()).toBe(2)
  const started = performance.now()
  await Promise.all([server.close(), server.close()])
  expect(performance.now() - started).toBeLessThan(30_000)
  await expect(server.complete('Hi')).rejects.toThrow()
})

it('finishes running answers before it closes, and refuses new ones', async () => {
  const store = await openStore('memory')
  onTestFinished(() => store.close())
  const server = await testServer({ closeDeadlineMs: 10_000, store })
  const chat_id = await server.newChat()
  const input = '[[tokens=5]] [[pace=gap=500ms]]'
  const body = { chat_id, model_id: 'SVC-Main', input, stream: true }
  const native = await openStream(server, '/api/v3/message/generate', body, key)
  const compatible = await openCompletion(server, input)
  const closed = server.close()
  for (const path of ['/readyz', '/api/v3/chat']) {
    const { status, headers } = await server.send('GET', path)
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
  }
  expect((await server.send('GET', '/healthz')).status).toBe(200)
  expect(readEvents(await readAll(native)).at(-1).type).toBe('response.completed')
  expect(readBlocks(await readAll(compatible)).at(-1)?.data).toBe('[DONE]')
  await closed
  await expect(server.send('GET', '/healthz')).rejects.toThrow()
  expect((await store.history.runs(chat_id)).length).toBe(1)
})

it('turns /readyz to 503 before it refuses requests', async () => {
  const server = await testServer({ drainDelayMs: 2_000 })
  const closed = server.close()
  expect((await server.send('GET', '/readyz')).status).toBe(503)
  expect((await server.complete('Hi')).status).toBe(200)
  await closed
})

it('aborts running answers at the deadline and stores nothing of them', async () => {
  const store = await openStore('memory')
  onTestFinished(() => store.close())
  const server = await testServer({ closeDeadlineMs: 100, store })
  const chat_id = await server.newChat()
  const body = { chat_id, model_id: 'SVC-Main', input: '[[pace=ttft=60s]]', stream: true }
  const stream = await openStream(server, '/api/v3/message/generate', body, key)
  const read = readAll(stream)
  read.catch(() => {})
  const started = performance.now()
  await server.close()
  expect(performance.now() - started).toBeLessThan(30_000)
  await expect(read).rejects.toThrow()
  expect(server.services.runs.size).toBe(0)
  expect(await store.history.runs(chat_id)).toEqual([])
})

it('patches retrieval for searches and answers', async () => {
  const server = await testServer({
    patch: (services) => ({
      ...services,
      retrieve: (...query) =>
        services.retrieve(...query).map((found) => ({ ...found, text: 'Nothing of the kind.' })),
    }),
  })
  const { json } = await server.send('GET', `/api/knowledge/${seededBaseId}/search?q=ferry`)
  const searcher = { assistant_id: 'searcher', input: 'When does the ferry leave?' }
  const answer = await server.oneShot(searcher)
  for (const text of [json.result[0].text, answer.json.output.at(-1).content[0].text]) {
    expect(text).toContain('Nothing of the kind.')
  }
})

describe('docs/internals/interface-choices.md', () => {
  const page = new URL('../docs/internals/interface-choices.md', import.meta.url)
  const text = readFileSync(page, 'utf8')
  const row = (id: string) => new RegExp(`^\\| ${id} \\| (.*) \\|$`, 'm').exec(text)?.[1] ?? ''

  it('lists all open questions in order, each with a sentence', () => {
    const rows = [...text.matchAll(/^\| (OPEN-\d\d) \| (\S.*) \|$/gm)]
    expect(rows.map(([, id]) => id)).toEqual(questionIds)
    for (const [, , choice = ''] of rows) expect(choice).toMatch(/\.$/)
  })

  it('names the actual statuses of the server', async () => {
    const server = await testServer()
    const [chat_id, old] = [await server.newChat(), await server.newV2Chat()]
    const send = async (method: string, path: string, body?: object) =>
      (await server.send(method, path, body === undefined ? {} : { body })).status
    const turn = { chat_id, input: 'Hi' }
    const both = { include_tools: [], exclude_tools: [] }
    const choices = {
      'OPEN-18': (await server.generate({ ...turn, chat_id: old })).status,
      'OPEN-20': await send('POST', '/api/v3/message/generate', { ...turn, model_id: 'SVC-Main' }),
      'OPEN-21': (await server.generate({ ...turn, ...both })).status,
      'OPEN-37': (await server.oneShot({ ...turn, ...both })).status,
      'OPEN-32': (await server.complete('Hi', { model: 'none' })).status,
      'OPEN-38': (await server.complete('Hi', { max_tokens: 0 })).status,
      'OPEN-40': await send('GET', `/api/v3/message?chat_id=${crypto.randomUUID()}`),
      'OPEN-41': await send('GET', `/api/v3/message?chat_id=${chat_id}&limit=0`),
    }
    for (const [id, status] of Object.entries(choices)) {
      expect([id, row(id).slice(0, 3)]).toEqual([id, String(status)])
    }
    expect(await send('DELETE', `/api/knowledge/${seededBaseId}`)).toBe(403)
  })
})
