/** 10,000 rows and more: paged through in order, without loss or repeat, while rows are being added. */
import { expect, it } from 'vitest'
import { type TestServer, testServer } from '../../test-support/server.ts'

const rows = 10_000
const perTurn = 500

interface Row {
  readonly item: { readonly content: readonly { readonly text: string }[] }
}

async function fill(server: TestServer, chat_id: string): Promise<void> {
  for (let from = 0; from < rows; from += perTurn) {
    const input = Array.from({ length: perTurn }, (_, at) => ({
      role: 'user',
      content: `note ${from + at}`,
    }))
    const { status } = await server.generate({ chat_id, input })
    expect(status).toBe(200)
  }
}

/** Numbers of the notes, in the order in which the walk meets them. */
async function walk(
  server: TestServer,
  chat_id: string,
  limit: number | undefined,
  between: (page: number) => Promise<unknown> = async () => {},
) {
  const notes: number[] = []
  const sizes: number[] = []
  let cursor: string | null = null
  do {
    const query = new URLSearchParams({ chat_id })
    if (limit !== undefined) query.set('limit', String(limit))
    if (cursor !== null) query.set('cursor', cursor)
    const { json } = await server.send('GET', `/api/v3/message?${query}`)
    for (const { item } of json.result as Row[]) {
      const number = /^note (\d+)$/.exec(item.content[0]?.text ?? '')?.[1]
      if (number !== undefined) notes.push(Number(number))
    }
    sizes.push(json.result.length)
    cursor = json.pagination.cursor
    await between(sizes.length)
  } while (cursor !== null)
  return { notes, sizes }
}

it('is the same in pages of any size, and grows at its end alone', async () => {
  const server = await testServer()
  const chat_id = await server.newChat()
  await fill(server, chat_id)
  const all = Array.from({ length: rows }, (_, at) => at)
  for (const limit of [undefined, 200, 100_000]) {
    const { notes, sizes } = await walk(server, chat_id, limit)
    expect(notes).toEqual(all)
    expect(Math.max(...sizes)).toBe(limit === undefined ? 50 : 200)
  }
  let added = 0
  const { notes } = await walk(server, chat_id, 150, async (page) => {
    if (page % 10 !== 0) return
    const input = `note ${rows + added}`
    added += 1
    await server.generate({ chat_id, input: [{ role: 'user', content: input }] })
  })
  expect(added).toBeGreaterThan(4)
  expect(notes).toEqual(Array.from({ length: rows + added }, (_, at) => at))
})

it('meets every row once in small pages, too', async () => {
  const server = await testServer()
  const chat_id = await server.newChat()
  const input = Array.from({ length: 100 }, (_, at) => ({ role: 'user', content: `note ${at}` }))
  await server.generate({ chat_id, input })
  for (const limit of [1, 2, 3, 7, 99, 101]) {
    const { notes } = await walk(server, chat_id, limit)
    expect(notes).toEqual([...input.keys()])
  }
})

it('takes no cursor of another list, and none that it did not make', async () => {
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
