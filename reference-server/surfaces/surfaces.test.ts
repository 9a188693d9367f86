import { expect, it } from 'vitest'
import { plantedFact } from '../../fixtures/files.ts'
import { seededBaseId } from '../answering/assistant-context.ts'
import { type TestServer, testServer } from '../test-support/server.ts'

const prefix = '/api/v3/knowledge'

const newBase = async (server: TestServer, name = 'Mine'): Promise<string> =>
  (await server.send('POST', prefix, { body: { name } })).json.id
const put = (
  server: TestServer,
  base: string,
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
) => server.upload({ name, content, type: 'text/plain' }, {}, `${prefix}/${base}/documents`)
const find = async (server: TestServer, base: string, query: string) =>
  (await server.send('GET', `${prefix}/${base}/search?${query}`)).json.result

it('lists seeded bases, then created ones, without deleted ones', async () => {
  const server = await testServer({ keys: ['ann', 'bob'] })
  const base = await newBase(server, 'Notes')
  const list = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` }
    const { json } = await server.send('GET', prefix, { headers })
    return json.result.map(({ id }: { id: string }) => id)
  }
  expect(await list('ann')).toEqual([seededBaseId, base])
  expect(await list('bob')).toEqual([seededBaseId])
  expect((await server.send('DELETE', `${prefix}/${base}`)).status).toBe(204)
  expect((await server.send('GET', `${prefix}/${base}`)).status).toBe(404)
  expect((await server.send('DELETE', `${prefix}/${seededBaseId}`)).status).toBe(403)
  expect(await list('ann')).toEqual([seededBaseId])
})

it.each([
  ['走廊', '走廊上的灯一直亮着，早餐在七点开始。'],
  ['屋根裏', '私たちの部屋は屋根裏にあって、海が見えました。'],
  ['الشقة', 'كانت الشقة نظيفة وقريبة من الميناء.'],
  ['הרכבת', 'תחנת הרכבת רחוקה מהאכסניה.'],
])('finds %s within a text', async (word, text) => {
  const server = await testServer()
  const base = await newBase(server)
  await put(server, base, 'other.txt', 'The gate opens at nine.')
  await put(server, base, 'note.txt', text)
  for (const type of ['hybrid', 'sparse']) {
    const query = `q=${encodeURIComponent(word)}&search_type=${type}`
    const [first] = await find(server, base, query)
    expect([type, first?.filename]).toEqual([type, 'note.txt'])
  }
})

it('pages through documents that are added and deleted meanwhile', async () => {
  const server = await testServer()
  const base = await newBase(server)
  const ids: string[] = []
  for (const n of [1, 2, 3, 4, 5]) ids.push((await put(server, base, `${n}.txt`, 'x')).json.id)
  const page = async (query: string) =>
    (await server.send('GET', `${prefix}/${base}/documents?limit=2${query}`)).json
  const first = await page('')
  await server.send('DELETE', `${prefix}/${base}/documents/${ids[0]}`)
  await put(server, base, '6.txt', 'x')
  const second = await page(`&cursor=${first.pagination.cursor}`)
  const third = await page(`&cursor=${second.pagination.cursor}`)
  const names = [first, second, third].flatMap(({ result }) =>
    result.map(({ filename }: { filename: string }) => filename),
  )
  expect(names).toEqual(['1.txt', '2.txt', '3.txt', '4.txt', '5.txt', '6.txt'])
  expect(third.pagination.cursor).toBeNull()
})

const question = `q=${encodeURIComponent(plantedFact.question)}`

it('search respects limit, threshold and summary', async () => {
  const server = await testServer()
  const all = await find(server, seededBaseId, 'q=lamp%20tower%20ferry')
  expect(all.length).toBeGreaterThan(2)
  const scores = all.map(({ score }: { score: number }) => score)
  expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a))
  expect(await find(server, seededBaseId, 'q=lamp%20tower%20ferry&limit=2')).toHaveLength(2)
  expect(await find(server, seededBaseId, 'q=lamp&threshold=1')).toEqual([])
  const [short] = await find(server, seededBaseId, `${question}&summary_mode=sentence`)
  expect(short.text).toBe('The unlock phrase of the supply shed is KESTREL-5821.')
})

it('rejects documents that are not text, too large or of an unknown base', async () => {
  const server = await testServer()
  const base = await newBase(server)
  const refused = await put(server, base, 'e.zip', new Uint8Array([80, 75, 0xff]))
  expect([refused.status, refused.json.error.code]).toEqual([415, 'unsupported_document'])
  expect((await put(server, base, 'f.txt', 'zero \0 byte')).status).toBe(415)
  expect((await put(server, base, 'g.txt', 'x'.repeat(3_000_000))).status).toBe(413)
  expect((await put(server, 'unknown', 'a.txt', 'x')).status).toBe(404)
})

const model_id = 'svc-main-model'

const storeMessage = (server: TestServer, body: object) =>
  server.send('POST', '/api/v2/message', { body: { model_id, ...body } })
const answer = (server: TestServer, body: object) =>
  server.send('POST', '/api/v2/message/generate', { body: { model_id, ...body } })

it('answers with the error that the prompt requests', async () => {
  const server = await testServer()
  const chat_id = await server.newV2Chat()
  for (const [content, status] of [
    ['[[error=503]]', 503],
    ['[[fail=3]]', 500],
  ] as const) {
    const { json } = await storeMessage(server, { chat_id, content })
    expect((await answer(server, { chat_id, parent_id: json.id })).status).toBe(status)
  }
})

it('creates, lists and deletes v2 chats', async () => {
  const server = await testServer()
  const chat_id = await server.newV2Chat('Old one')
  const list = async () => (await server.send('GET', '/api/v2/chat')).json.result
  expect(await list()).toMatchObject([{ id: chat_id, name: 'Old one', version: 'v2' }])
  expect((await server.send('GET', '/api/v3/chat')).json.result).toEqual([])
  const { json: parent } = await storeMessage(server, { chat_id, content: 'Hi' })
  expect((await server.send('DELETE', `/api/v2/chat/${chat_id}`)).status).toBe(204)
  expect(await list()).toEqual([])
  expect((await answer(server, { chat_id, parent_id: parent.id })).status).toBe(404)
})
