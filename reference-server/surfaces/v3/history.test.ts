import { describe, expect, it } from 'vitest'
import { type TestServer, testServer } from '../../test-support/server.ts'

interface Row {
  readonly item_type?: string
  readonly item_status?: string
  readonly item: { readonly type: string; readonly status?: string }
}

async function walk(
  server: TestServer,
  chatId: string,
  limit?: number,
  between: (page: number) => Promise<unknown> = async () => {},
): Promise<{ rows: Row[]; pages: number[] }> {
  const rows: Row[] = []
  const pages: number[] = []
  let cursor = ''
  for (;;) {
    const query = `chat_id=${chatId}${limit === undefined ? '' : `&limit=${limit}`}${cursor}`
    const { status, json } = await server.send('GET', `/api/v3/message?${query}`)
    expect(status).toBe(200)
    rows.push(...json.result)
    pages.push(json.result.length)
    if (json.pagination.cursor === null) return { rows, pages }
    cursor = `&cursor=${json.pagination.cursor}`
    await between(pages.length)
  }
}

const messages = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => ({ role: 'user', content: `Row ${from + n}` }))

it('holds the input and the output of each run, oldest first', async () => {
  const server = await testServer()
  const id = await server.newChat()
  const input = [
    { role: 'system', content: 'Be brief.' },
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be kind.' }] },
    {
      role: 'user',
      content: [
        { type: 'input_image', image_url: 'data:image/png;base64,AA==' },
        { type: 'input_text', text: 'What time is it?' },
      ],
    },
  ]
  const { json } = await server.generate({ chat_id: id, input, think: true })
  const { rows } = await walk(server, id)
  expect(rows.slice(0, 3).map(({ item }) => item)).toEqual([
    { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'Be brief.' }] },
    input[1],
    { type: 'message', ...input[2] },
  ])
  expect(rows.slice(3).map(({ item }) => item)).toEqual(json.output)
  expect(rows.map(({ item_type }) => item_type)).toEqual([
    'message',
    'message',
    'message',
    'reasoning',
    'function_call',
    'message',
  ])
  for (const row of rows) {
    expect([row.item_type, row.item_status]).toEqual([row.item.type, row.item.status])
  }
})

describe('paging', () => {
  it.each([1, 2, 3, 7, 50])('walks with limit %d without loss or repeat', async (limit) => {
    const server = await testServer()
    const id = await server.newChat()
    await server.generate({ chat_id: id, input: messages(20) })
    await server.generate({ chat_id: id, input: messages(34) })
    const whole = await walk(server, id, 200)
    expect(whole.rows).toHaveLength(56)
    const { rows, pages } = await walk(server, id, limit)
    expect(rows).toEqual(whole.rows)
    expect(pages.slice(0, -1).every((length) => length === limit)).toBe(true)
  })

  it('gives 50 rows by default, 200 at most, and null on an exact last page', async () => {
    const server = await testServer()
    const id = await server.newChat()
    await server.generate({ chat_id: id, input: messages(99) })
    expect((await walk(server, id)).pages).toEqual([50, 50])
    await server.generate({ chat_id: id, input: messages(149) })
    expect((await walk(server, id, 100_000)).pages).toEqual([200, 50])
  })

  it('is empty with a null cursor for a new chat', async () => {
    const server = await testServer()
    const { json } = await server.send('GET', `/api/v3/message?chat_id=${await server.newChat()}`)
    expect(json).toEqual({ result: [], pagination: { cursor: null } })
  })

  it('loses and repeats nothing while rows are added', async () => {
    const server = await testServer()
    const id = await server.newChat()
    await server.generate({ chat_id: id, input: messages(10) })
    const before = await walk(server, id, 200)
    const add = (page: number) =>
      page <= 4
        ? server.generate({ chat_id: id, input: messages(2, page * 100) })
        : Promise.resolve()
    const { rows } = await walk(server, id, 3, add)
    expect(rows.slice(0, before.rows.length)).toEqual(before.rows)
    expect(rows).toEqual((await walk(server, id, 200)).rows)
  })
})

describe('refusals', () => {
  it('wants a chat and a sound limit', async () => {
    const server = await testServer()
    const id = await server.newChat()
    const queries = [
      '',
      'chat_id=5',
      ...['0', '-1', 'x', '1.5', ''].map((n) => `chat_id=${id}&limit=${n}`),
    ]
    for (const query of [...queries, `chat_id=${id}&chat_id=${id}`]) {
      expect((await server.send('GET', `/api/v3/message?${query}`)).status).toBe(400)
    }
    const unknown = `/api/v3/message?chat_id=${crypto.randomUUID()}`
    expect((await server.send('GET', unknown)).status).toBe(404)
  })

  it('takes no cursor of another list, and none that it did not make', async () => {
    const server = await testServer()
    const [one, other] = [await server.newChat(), await server.newChat()]
    await server.generate({ chat_id: one, input: messages(5) })
    const { json } = await server.send('GET', `/api/v3/message?chat_id=${one}&limit=1`)
    const forged = Buffer.from(JSON.stringify([`history ${other}`, -4])).toString('base64url')
    for (const cursor of [json.pagination.cursor, forged, 'x', '', '%00']) {
      const answer = await server.send('GET', `/api/v3/message?chat_id=${other}&cursor=${cursor}`)
      expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_cursor'])
    }
  })
})
