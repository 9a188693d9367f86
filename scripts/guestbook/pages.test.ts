import { expect, test } from 'vitest'
import { guestbookFixtures } from '../../fixtures/documents.ts'
import { guestbookBaseId } from '../../reference-server/seed.ts'
import { testServer } from '../../reference-server/test-support/server.ts'
import { guestbookPages } from './pages.ts'

test('fixtures/documents/guestbook is what npm run guestbook writes', async () => {
  const pages = await guestbookPages()
  const written = guestbookFixtures().map(({ filename, bytes }) => [filename, String(bytes)])
  expect(Object.fromEntries(written)).toEqual(
    Object.fromEntries(pages.map(({ filename, text }) => [filename, text])),
  )
})

test('each page answers its question, in the language of the page', async () => {
  const server = await testServer()
  for (const type of ['hybrid', 'sparse']) {
    for (const { filename, question } of await guestbookPages()) {
      const query = `q=${encodeURIComponent(question)}&search_type=${type}`
      const path = `/api/knowledge/${guestbookBaseId}/search?${query}`
      const { json } = await server.send('GET', path)
      expect.soft([type, json.result[0]?.filename]).toEqual([type, filename])
    }
  }
})

test.each([
  ['走廊', 'zh-cn.md'],
  ['屋根裏', 'ja.md'],
  ['الشقة', 'ar.md'],
  ['הרכבת', 'he.md'],
])('%s is found within a text', async (word, filename) => {
  const server = await testServer()
  const query = `q=${encodeURIComponent(word)}&search_type=sparse`
  const { json } = await server.send('GET', `/api/knowledge/${guestbookBaseId}/search?${query}`)
  expect(json.result[0]?.filename).toBe(filename)
})
