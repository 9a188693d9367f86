import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type PostgresCluster, postgresPrograms, startPostgres } from '../test-support/postgres.ts'
import {
  openStream,
  readAll,
  readEvents,
  plainRun as run,
  type TestServer,
  testServer,
} from '../test-support/server.ts'
import { openStore, seededBases } from './open-store.ts'
import type { Row } from './sql/database.ts'
import { openPostgres } from './sql/postgres.ts'
import { openSqlite } from './sql/sqlite.ts'
import { type Store, sqlStore } from './sql/store.ts'
import type { Attachment, Chat, Message, StoreOptions } from './types.ts'

const chat = (id: string, rest: Partial<Chat> = {}): Chat => {
  const times = { createdAt: 0.25, updatedAt: 0.5 }
  return { id, owner: 'ann', name: id, version: 'v3', favorite: false, ...times, ...rest }
}
const turn = (id: string) => {
  const input = [{ type: 'message', id: `${id}-in`, text: 'a\0b\ud800' }]
  const output = [{ type: 'message', id: `${id}-out` }]
  return { id, parentId: null, createdAt: 0.125, input, output }
}
const file = (id: string, filename = `${id}.txt`): Attachment => {
  const content = { contentType: 'text/plain', size: 0, text: 'a\0b' }
  return { id, owner: 'ann', filename, ...content, createdAt: 0 }
}
const message = (id: string): Message => {
  const of = { chatId: 'a', parentId: null, assistantId: null, attachmentIds: [], createdAt: 0 }
  return { id, ...of, modelId: 'm', role: 'user', content: 'a\0b', think: false, rag: false }
}
const scope = { owner: 'ann', endpoint: '/generate', key: 'k' }
const day = 24 * 60 * 60 * 1000

const missing = postgresPrograms() === undefined ? 'PostgreSQL is not installed' : ''
let postgres: PostgresCluster | undefined
beforeAll(async () => {
  if (missing === '') postgres = await startPostgres(['fsync=off'])
}, 60_000)
afterAll(() => postgres?.remove())

const sqlite = {
  name: 'sqlite',
  missing: '',
  /** An unused store. */
  fresh: async () =>
    `sqlite:${join(mkdtempSync(join(tmpdir(), 'chatgen-store-')), 'store.sqlite')}`,
}
const shared = {
  ...{ name: 'postgres', missing },
  fresh: async () => (await postgres?.createDatabase(randomUUID())) ?? '',
}

async function opened(place: string, options?: StoreOptions): Promise<Store> {
  const store = await openStore(place, options)
  onTestFinished(() => store.close().catch(() => {}))
  return store
}

describe.each([sqlite, shared])('$name $missing', (kind) => {
  const it = test.skipIf(kind.missing !== '')
  const newStore = async () => opened(await kind.fresh())

  it('separates chats of callers', async () => {
    const { chats } = await newStore()
    await chats.create(chat('a', { name: 'a\0b\ud800' }))
    expect(await chats.find('ann', 'a')).toEqual(chat('a', { name: 'a\0b\ud800' }))
    expect(await chats.find('bob', 'a')).toBeUndefined()
    expect(await chats.find('ann', 'a\0')).toBeUndefined()
    expect(await chats.update('bob', 'a', { name: 'x' })).toBeUndefined()
    expect(await chats.delete('bob', 'a')).toBe(false)
    expect(await chats.delete('ann', 'a')).toBe(true)
    expect(await chats.delete('ann', 'a')).toBe(false)
    expect(await chats.find('ann', 'a')).toBeUndefined()
  })

  it.each(['100%', 'a_b', 'back\\slash', 'ÄRGER', 'nul\0'])(
    'finds a name with %j',
    async (part) => {
      const { chats, attachments } = await newStore()
      const others = { name: 'x100 aXb backslash rger nul' }
      await chats.create(chat('1', { name: `x${part}x` }))
      await chats.create(chat('2', others))
      await attachments.add(file('1', `x${part}x`))
      await attachments.add(file('2', others.name))
      const search = part.toLowerCase()
      const found = [
        await chats.list('ann', { version: 'v3', limit: 9, search }),
        await attachments.list('ann', { limit: 9, search }),
      ]
      expect(found.map(({ rows }) => rows.map(({ id }) => id))).toEqual([['1'], ['1']])
    },
  )

  it('numbers rows of concurrent turns without gaps', async () => {
    const { chats, history } = await newStore()
    await chats.create(chat('a'))
    const names = Array.from({ length: 20 }, (_, at) => `run-${at}`)
    await Promise.all(names.map((name) => history.append('a', turn(name))))
    const { rows, next } = await history.page('a', 0, 100)
    const runs = rows.map(({ runId }) => runId)
    expect(runs.filter((_, at) => at % 2 === 0)).toEqual(runs.filter((_, at) => at % 2 === 1))
    expect([new Set(runs).size, runs.length, next]).toEqual([20, 40, null])
  })

  it('keeps nothing of a deleted chat, including late writes', async () => {
    const { chats, history, messages, attachments } = await newStore()
    await chats.create(chat('a'))
    await history.append('a', turn('one'))
    await history.runs('a')
    await messages.append(message('1'))
    await attachments.add(file('f'))
    await attachments.link('a', 'f')
    await chats.delete('ann', 'a')
    await history.append('a', turn('late'))
    await messages.append(message('2'))
    await attachments.link('a', 'f')
    expect(await history.runs('a')).toEqual([])
    expect((await history.page('a', 0, 9)).rows).toEqual([])
    expect(await messages.find('a', '1')).toBeUndefined()
    expect(await messages.find('a', '2')).toBeUndefined()
    expect((await attachments.list('ann', { limit: 9, chatId: 'a' })).rows).toEqual([])
    expect((await attachments.list('ann', { limit: 9 })).rows).toEqual([file('f')])
  })

  it('gives each caller its own copy of the seeded bases', async () => {
    const { knowledge } = await newStore()
    const { rows } = await knowledge.bases('ann', { limit: 9 })
    expect(rows).toEqual(seededBases().map(({ base }) => base))
    const baseId = rows[0]?.id ?? ''
    const before = await knowledge.documents('ann', baseId)
    expect(await knowledge.documents('ann', baseId)).toBe(before)
    const first = before[0] ?? expect.unreachable('the seeded base has no documents')
    expect(await knowledge.addDocument('ann', baseId, { ...first, id: 'doc_new' })).toBe(true)
    expect(await knowledge.documents('ann', baseId)).toHaveLength(before.length + 1)
    expect(await knowledge.documents('bob', baseId)).toHaveLength(before.length)
    const page = await knowledge.documentPage('ann', baseId, { limit: before.length })
    expect(page.rows).toEqual(before)
    const last = await knowledge.documentPage('ann', baseId, { before: page.next ?? 0, limit: 9 })
    expect(last.rows.map(({ id }) => id)).toEqual(['doc_new'])
    expect(await knowledge.deleteDocument('ann', baseId, 'doc_new')).toBe(true)
    expect(await knowledge.deleteDocument('ann', baseId, 'doc_new')).toBe(false)
    expect(await knowledge.documents('ann', baseId)).toEqual(before)
    await knowledge.create('ann', { ...seededBase(), id: 'own' })
    expect(await knowledge.delete('ann', 'own')).toBe(true)
    expect(await knowledge.addDocument('ann', 'own', first)).toBe(false)
    expect(await knowledge.documents('ann', 'own')).toEqual([])
  })

  it('admits one of several concurrent claims and returns its run to others', async () => {
    const { idempotency } = await newStore()
    const claims = await Promise.all(
      Array.from({ length: 9 }, () => idempotency.reserve(scope, 'same', 0)),
    )
    const states = claims.map(({ state }) => state).toSorted()
    expect(states).toEqual(['first', ...Array(8).fill('running')])
    expect((await idempotency.reserve(scope, 'other', 0)).state).toBe('mismatch')
    await idempotency.finish(scope, run)
    const found = await idempotency.reserve(scope, 'same', 1)
    expect(found.state === 'finished' && found.run.settings).toEqual(run.settings)
    expect((await idempotency.reserve(scope, 'other', 1)).state).toBe('mismatch')
    for (const other of [{ owner: 'bob' }, { endpoint: '/x' }, { key: 'K' }]) {
      expect((await idempotency.reserve({ ...scope, ...other }, 'same', 1)).state).toBe('first')
    }
  })

  it('frees a released key at once and a finished one after a day', async () => {
    const { idempotency } = await newStore()
    await idempotency.reserve(scope, 'same', 0)
    await idempotency.release(scope)
    expect(await idempotency.reserve(scope, 'other', 0)).toEqual({ state: 'first' })
    await idempotency.finish(scope, run)
    expect((await idempotency.reserve(scope, 'other', day)).state).toBe('finished')
    expect((await idempotency.reserve(scope, 'third', day + 1)).state).toBe('first')
  })

  it('keeps its content after being reopened', async () => {
    const place = await kind.fresh()
    const before = await opened(place)
    await before.chats.create(chat('a'))
    await before.idempotency.reserve(scope, 'same', 0)
    await before.history.append('a', turn('one'), { scope, run, updatedAt: 1 })
    await before.attachments.add(file('f'))
    await before.attachments.link('a', 'f')
    await before.knowledge.create('ann', { ...seededBase(), id: 'own' })
    await before.close()
    const after = await opened(place)
    expect(await after.chats.find('ann', 'a')).toEqual(chat('a', { updatedAt: 1 }))
    expect(await after.history.runs('a')).toEqual([turn('one')])
    expect((await after.attachments.list('ann', { limit: 9, chatId: 'a' })).rows).toHaveLength(1)
    const { rows: bases } = await after.knowledge.bases('ann', { limit: 9 })
    expect(bases.map(({ id }) => id)).toEqual([...seededBases().map(({ base }) => base.id), 'own'])
    expect((await after.idempotency.reserve(scope, 'same', 1)).state).toBe('finished')
  })

  it('of a newer server is rejected', async () => {
    const place = await kind.fresh()
    await (await opened(place)).close()
    await execute(place, 'UPDATE schema_version SET version = 99')
    await expect(openStore(place)).rejects.toThrow(
      'the store has schema version 99, but this server supports versions up to 1',
    )
  })
})

describe('sqlite', () => {
  test('frees the keys of runs that ended with their server', async () => {
    const place = await sqlite.fresh()
    const before = await opened(place)
    await before.idempotency.reserve(scope, 'same', 0)
    await before.close()
    const after = await opened(place)
    expect((await after.idempotency.reserve(scope, 'same', 1)).state).toBe('first')
  })

  test('rejects a file in use and a file that is not a database', async () => {
    const place = await sqlite.fresh()
    await opened(place)
    await expect(openStore(place)).rejects.toThrow('another server has this file open')
    await expect(openStore('sqlite:package.json')).rejects.toThrow(
      'this file is not a SQLite database',
    )
    await expect(openStore('sqlite:/no/such/folder/x')).rejects.toThrow('cannot be opened')
  })
})

describe.skipIf(missing !== '')(`several servers on postgres ${missing}`, () => {
  test("start at once and see each other's data", async () => {
    const place = await shared.fresh()
    const [one, other] = await Promise.all([opened(place), opened(place), opened(place)])
    await one.chats.create(chat('a'))
    expect(await other.chats.find('ann', 'a')).toEqual(chat('a'))
    await one.history.append('a', turn('one'))
    expect(await other.history.runs('a')).toEqual([turn('one')])
    await other.history.append('a', turn('two'))
    expect((await one.history.runs('a')).map(({ id }) => id)).toEqual(['one', 'two'])
    const baseId = seededBase().id
    const documents = await one.knowledge.documents('ann', baseId)
    const first = documents[0] ?? expect.unreachable('the seeded base has no documents')
    await other.knowledge.addDocument('ann', baseId, { ...first, id: 'doc_new' })
    expect(await one.knowledge.documents('ann', baseId)).toHaveLength(documents.length + 1)
  })

  test('free the key of a dead server after its lease and reject its late run', async () => {
    const place = await shared.fresh()
    const died = await opened(place)
    await died.chats.create(chat('a'))
    await died.idempotency.reserve(scope, 'same', 0)
    const other = await opened(place)
    expect((await other.idempotency.reserve(scope, 'same', 0)).state).toBe('running')
    await execute(place, 'UPDATE ledger SET lease_until = 0')
    expect((await other.idempotency.reserve(scope, 'same', 0)).state).toBe('first')
    await expect(
      died.history.append('a', turn('one'), { scope, run, updatedAt: 1 }),
    ).rejects.toThrow(/taken over/)
    await other.history.append('a', turn('again'), { scope, run, updatedAt: 1 })
    expect((await other.history.runs('a')).map(({ id }) => id)).toEqual(['again'])
  })

  test('renew a lease while its run lasts', async () => {
    const place = await shared.fresh()
    const one = await opened(place, { leaseMs: 150 })
    await one.idempotency.reserve(scope, 'same', 0)
    const leaseEnd = async () => {
      const [row] = await execute(place, 'SELECT lease_until FROM ledger')
      return Number(row?.['lease_until'])
    }
    const first = await leaseEnd()
    await vi.waitUntil(async () => (await leaseEnd()) > first, { timeout: 20_000 })
  })
})

const keys = ['sk-one-caller']

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

describe.skipIf(missing !== '')(`replicas on postgres ${missing}`, () => {
  const key = { 'idempotency-key': 'k' }

  test('answer a repeat with 409 or wait, then replay', async () => {
    const url = await shared.fresh()
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
    const server = await replica(await shared.fresh(), { leaseMs: 1000 })
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
  const database = openSqlite((await sqlite.fresh()).replace('sqlite:', ''))
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

/** Reads or changes a database without its servers. */
async function execute(place: string, sql: string): Promise<readonly Row[]> {
  const file = /^sqlite:(.+)$/.exec(place)?.[1]
  const database = file === undefined ? openPostgres(place) : openSqlite(file)
  const rows = await database.query(sql)
  await database.close()
  return rows
}

function seededBase() {
  return (seededBases()[0] ?? expect.unreachable('there is no seeded base')).base
}
