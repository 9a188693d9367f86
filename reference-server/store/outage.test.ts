import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type PostgresCluster, postgresPrograms, startPostgres } from '../test-support/postgres.ts'
import {
  openStream,
  readAll,
  readEvents,
  type TestServer,
  testServer,
} from '../test-support/server.ts'
import { openStore } from './open-store.ts'
import { openSqlite } from './sql/sqlite.ts'
import { sqlStore } from './sql/store.ts'
import type { StoreOptions } from './types.ts'

const keys = ['sk-one-caller']
const missing = postgresPrograms() === undefined ? 'PostgreSQL is not installed' : ''
let postgres: PostgresCluster | undefined
beforeAll(async () => {
  if (missing === '') postgres = await startPostgres(['fsync=off'])
}, 60_000)
afterAll(() => postgres?.remove())

async function replica(url: string, options: StoreOptions = {}, runningRepeat?: 'wait') {
  const store = await openStore(url, options)
  const server = await testServer({ keys, store, ...(runningRepeat && { runningRepeat }) })
  // Registered before the server, so that its store stays open until the server has ended.
  onTestFinished(() => store.close())
  return server
}

async function rowsOf(server: TestServer, chat_id: string): Promise<number> {
  const { json } = await server.send('GET', `/api/v3/message?chat_id=${chat_id}`)
  return json.result.length
}

describe.skipIf(missing !== '')(`replicas on PostgreSQL ${missing}`, () => {
  const database = async () => (await postgres?.createDatabase(randomUUID())) ?? ''
  const key = { 'idempotency-key': 'k' }

  test('answer a repeat with 409 or wait, then replay', async () => {
    const url = await database()
    const [one, other] = [await replica(url), await replica(url)]
    const patient = await replica(url, {}, 'wait')
    const chat_id = await one.newChat()
    const body = { chat_id, input: '[[tokens=5]] [[pace=ttft=1.5s]]' }
    const first = one.generate(body, key)
    await expect.poll(() => one.services.runs.size).toBe(1)
    const waiting = patient.generate(body, key)
    const early = await other.generate(body, key)
    expect([early.status, early.headers.get('retry-after')]).toEqual([409, '1'])
    const { text } = await first
    expect((await waiting).text).toBe(text)
    expect((await other.generate(body, key)).text).toBe(text)
    expect(await rowsOf(other, chat_id)).toBe(2)
  })

  test('answer 503 without the database, and recover with it', async () => {
    const server = await replica(await database(), { leaseMs: 1000 })
    const chat_id = await server.newChat()
    const input = '[[tokens=5]] [[pace=ttft=3s]]'
    const turn = { chat_id, input, model_id: 'SVC-Main', stream: true }
    const stream = await openStream(server, '/api/v3/message/generate', turn, key)
    await postgres?.kill()
    for (const path of ['/readyz', `/api/v3/chat/${chat_id}`]) {
      const { status, headers, json } = await server.send('GET', path)
      expect([status, headers.get('retry-after'), json.error.code]).toEqual([
        ...[503, '1', 'store_unavailable'],
      ])
    }
    expect((await server.send('GET', '/healthz')).status).toBe(200)
    // Its turn cannot be stored, so the stream must not appear complete.
    const events = readEvents(await readAll(stream))
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at))
    expect(events.slice(-2)).toMatchObject([
      { type: 'error', code: 'store_unavailable' },
      { type: 'response.failed', response: { status: 'failed' } },
    ])
    await postgres?.start()
    await expect.poll(async () => (await server.send('GET', '/readyz')).status).toBe(200)
    expect(await rowsOf(server, chat_id)).toBe(0)
    const generated = () => server.generate(turn, key)
    await expect.poll(async () => (await generated()).status, { timeout: 60_000 }).toBe(200)
    expect(readEvents((await generated()).text).at(-1).type).toBe('response.completed')
    expect(await rowsOf(server, chat_id)).toBe(2)
  }, 60_000)
})

test('a full disk is 507, and stored data stays readable and intact', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chatgen-full-'))
  const database = openSqlite(join(folder, 'store.sqlite'))
  const store = await sqlStore(database, [])
  const server = await testServer({ keys, store })
  onTestFinished(() => store.close())
  const chat_id = await server.newChat()
  const [{ page_count: pages } = {}] = await database.query('PRAGMA page_count')
  await database.query(`PRAGMA max_page_count = ${Number(pages) + 4}`)
  const upload = { name: 'a.txt', content: 'x'.repeat(100_000) }
  const { status, json } = await server.upload(upload)
  expect([status, json.error.code]).toEqual([507, 'store_full'])
  expect((await server.send('GET', `/api/v3/chat/${chat_id}`)).status).toBe(200)
  expect(await database.query('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  await database.query('PRAGMA max_page_count = 1000000')
  expect((await server.upload(upload)).status).toBe(201)
})
