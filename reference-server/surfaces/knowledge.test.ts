import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { plantedFact } from '../../fixtures/documents.ts'
import { seededBaseId } from '../answering/assistant-context.ts'
import { type TestServer, testServer } from '../test-support/server.ts'

const prefix = '/api/v3/knowledge'
const documents = new URL('../../fixtures/documents/', import.meta.url)

const newBase = async (server: TestServer, name = 'Mine'): Promise<string> =>
  (await server.send('POST', prefix, { body: { name } })).json.id
const put = (
  server: TestServer,
  base: string,
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
  type = 'text/plain',
) => server.upload({ name, content, type }, {}, `${prefix}/${base}/documents`)
const find = async (server: TestServer, base: string, query: string) =>
  (await server.send('GET', `${prefix}/${base}/search?${query}`)).json.result

it('lists the seeded bases, then what is created, and forgets what is deleted', async () => {
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

it('pages through documents, while some come and go', async () => {
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

it('search keeps to its limit, threshold and summary', async () => {
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

it('reads text, Markdown, HTML and CSV, and refuses the rest', async () => {
  const server = await testServer()
  const base = await newBase(server)
  const documents = [
    ['a.txt', 'Alpha stands here.', 'Alpha'],
    ['b.md', '# Heading\n\nBravo stands here.', 'Bravo'],
    ['c.html', '<p>Charlie &amp; <b>Delta</b><script>no()</script>', 'Charlie & Delta'],
    ['d.csv', 'name,place\n"Echo, the third",Osby', 'name: Echo, the third; place: Osby.'],
  ] as const
  for (const [name, content, text] of documents) {
    expect((await put(server, base, name, content)).status).toBe(201)
    const [best] = await find(server, base, `q=${text.replaceAll('&', '')}&search_type=sparse`)
    expect(best.text).toContain(text)
  }
  const refused = await put(server, base, 'e.zip', 'PK', 'application/zip')
  expect([refused.status, refused.json.error.code]).toEqual([415, 'unsupported_document'])
  expect((await put(server, base, 'f.txt', 'zero \0 byte')).status).toBe(415)
  expect((await put(server, base, 'g.txt', 'x'.repeat(3_000_000))).status).toBe(413)
  expect((await put(server, 'unknown', 'a.txt', 'x')).status).toBe(404)
})

describe('a PDF', () => {
  const content = new Uint8Array(readFileSync(new URL('harbour-notice.pdf', documents)))
  it.each(['application/pdf', 'application/octet-stream'])('is read, sent as %s', async (type) => {
    const server = await testServer()
    const base = await newBase(server)
    const uploaded = await put(server, base, 'notice.pdf', content, type)
    expect(uploaded).toMatchObject({ status: 201, json: { size: content.length } })
    const [first] = await find(server, base, 'q=pilot%20boat%20called&search_type=sparse')
    expect(first.text).toContain('The pilot boat is called MERGANSER-17.')
    const [second] = await find(server, base, 'q=moor%20at%20the%20b%C3%BBy&search_type=sparse')
    expect(second.text).toContain('moor at the b\u00fby.')
  })

  it.each([
    ['only called so', new TextEncoder().encode('no PDF at all')],
    ['cut after its header', content.subarray(0, 12)],
  ])('that is %s is refused', async (_, broken) => {
    const server = await testServer()
    const base = await newBase(server)
    const { status, json } = await put(server, base, 'notice.pdf', broken, 'application/pdf')
    expect([status, json.error.code]).toEqual([400, 'broken_document'])
    expect(json.error.message).toMatch(/^The PDF cannot be read: /)
    const attached = { name: 'notice.pdf', content: broken, type: 'application/pdf' }
    expect((await server.upload(attached)).status).toBe(400)
  })
})
