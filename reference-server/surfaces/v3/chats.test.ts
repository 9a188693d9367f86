import { expect, it } from 'vitest'
import { memoryStore } from '../../store/memory-store.ts'
import { testServer } from '../../test-support/server.ts'

it('creates v3 chats, whatever the body says', async () => {
  const server = await testServer()
  const body = { name: 'Trip 🌱', version: 'v2', extra: 1 }
  const { status, json } = await server.send('POST', '/api/v3/chat', { body })
  expect(status).toBe(201)
  expect(json).toMatchObject({ name: 'Trip 🌱', version: 'v3', is_favorite: false })
  const read = await server.send('GET', `/api/v3/chat/${json.id.toUpperCase()}`)
  expect(read.json).toEqual(json)
})

it('refuses a name that is no string', async () => {
  const server = await testServer()
  const { status, json } = await server.send('POST', '/api/v3/chat', { body: { name: 5 } })
  expect([status, json.error.param]).toEqual([400, 'name'])
})

it('lists page by page, newest first, and finds by name', async () => {
  const server = await testServer()
  for (const n of [1, 2, 3, 4, 5]) await server.newChat(`Chat ${n}`)
  const names: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`
    const { json } = await server.send('GET', `/api/v3/chat?limit=2${query}`)
    names.push(...json.result.map(({ name }: { name: string }) => name))
    cursor = json.pagination.cursor
  }
  expect(names).toEqual(['Chat 5', 'Chat 4', 'Chat 3', 'Chat 2', 'Chat 1'])
  const found = await server.send('GET', '/api/v3/chat?search=chat%203')
  expect(found.json.result).toHaveLength(1)
})

it('deletes a chat with its history', async () => {
  const server = await testServer()
  const id = await server.newChat()
  await server.generate({ chat_id: id, input: 'Hi' })
  expect((await server.send('DELETE', `/api/v3/chat/${id}`)).status).toBe(204)
  for (const path of [`/api/v3/chat/${id}`, `/api/v3/message?chat_id=${id}`]) {
    expect((await server.send('GET', path)).status).toBe(404)
  }
  expect((await server.send('DELETE', `/api/v3/chat/${id}`)).status).toBe(404)
  expect((await server.send('GET', '/api/v3/chat')).json.result).toEqual([])
})

it('refuses v2 chats on every route that takes a chat, names the prefix, and changes nothing', async () => {
  const store = memoryStore()
  const server = await testServer({ store })
  const id = crypto.randomUUID()
  const times = { createdAt: 0, updatedAt: 0 }
  await store.chats.create({
    id,
    owner: 'caller-1',
    name: 'old',
    version: 'v2',
    favorite: false,
    ...times,
  })
  const answers = [
    await server.send('GET', `/api/v3/chat/${id}`),
    await server.send('DELETE', `/api/v3/chat/${id}`),
    await server.send('GET', `/api/v3/message?chat_id=${id}`),
    await server.generate({ chat_id: id, input: 'Hi' }),
    await server.generate({ chat_id: id, input: 'Hi', stream: true }),
  ]
  for (const { status, json } of answers) {
    expect([status, json.error.code]).toEqual([409, 'wrong_chat_version'])
    expect(json.detail).toContain('/api/v2')
  }
  expect(await store.chats.find('caller-1', id)).toMatchObject({ name: 'old' })
  expect(await store.history.runs(id)).toEqual([])
})
