import { expect, it } from 'vitest'
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

it('updates the name, and nothing that is fixed', async () => {
  const server = await testServer()
  const [id, other] = [await server.newChat('Old'), await server.newChat('Other')]
  const body = { name: 'New 🌱', version: 'v2', id: other, owner: 'x' }
  const { status, json } = await server.send('PATCH', `/api/v3/chat/${id}`, { body })
  expect([status, json]).toMatchObject([200, { id, name: 'New 🌱', version: 'v3' }])
  expect((await server.send('GET', `/api/v3/chat/${id}`)).json).toEqual(json)
  expect((await server.send('GET', `/api/v3/chat/${other}`)).json.name).toBe('Other')
  const refused = await server.send('PATCH', `/api/v3/chat/${id}`, { body: { name: 5 } })
  expect([refused.status, refused.json.error.param]).toEqual([400, 'name'])
  expect((await server.send('PATCH', `/api/v3/chat/${id}`, { body: {} })).json.name).toBe('New 🌱')
})

it('marks favorites, lists them, and leaves them out', async () => {
  const server = await testServer()
  const ids = [await server.newChat('A'), await server.newChat('B'), await server.newChat('C')]
  const names = async (path: string) =>
    (await server.send('GET', path)).json.result.map(({ name }: { name: string }) => name)
  const mark = (method: string) => server.send(method, `/api/v3/chat/${ids[1]}/favorite`)
  expect((await mark('POST')).json).toMatchObject({ name: 'B', is_favorite: true })
  expect((await mark('POST')).status).toBe(200)
  expect(await names('/api/v3/chat/favorite')).toEqual(['B'])
  for (const flag of ['true', '1']) {
    expect(await names(`/api/v3/chat?exclude_favorites=${flag}`)).toEqual(['C', 'A'])
  }
  expect(await names('/api/v3/chat?exclude_favorites=false')).toEqual(['C', 'B', 'A'])
  expect((await server.send('GET', '/api/v3/chat?exclude_favorites=maybe')).status).toBe(400)
  expect((await mark('DELETE')).json.is_favorite).toBe(false)
  expect(await names('/api/v3/chat/favorite')).toEqual([])
  expect(await names('/api/v3/chat')).toEqual(['C', 'B', 'A'])
})

it('generates a title out of what was said, and takes it for the name', async () => {
  const server = await testServer()
  const id = await server.newChat('Untitled')
  const path = `/api/v3/chat/${id}/generate-name`
  expect((await server.send('POST', path)).json.name).toBe('An empty chat')
  await server.generate({ chat_id: id, input: '¿Where do storm petrels nest in a cold spring?' })
  const { status, json } = await server.send('POST', path, { body: {} })
  expect([status, json.name]).toEqual([200, 'About: Where do storm petrels nest in…'])
  expect((await server.send('GET', `/api/v3/chat/${id}`)).json.name).toBe(json.name)
})

it('refuses v2 chats on every route that takes a chat, names the prefix, and changes nothing', async () => {
  const server = await testServer()
  const id = await server.newV2Chat('old')
  const before = (await server.send('GET', `/api/v2/chat/${id}`)).json
  const one = `/api/v3/chat/${id}`
  const answers = [
    await server.send('GET', one),
    await server.send('PATCH', one, { body: { name: 'x' } }),
    await server.send('DELETE', one),
    await server.send('POST', `${one}/favorite`),
    await server.send('DELETE', `${one}/favorite`),
    await server.send('POST', `${one}/generate-name`),
    await server.send('GET', `${one}/attachments`),
    await server.send('GET', `/api/v3/attachment?chat_id=${id}`),
    await server.upload({ name: 'a.txt', content: 'x' }, { chat_id: id }),
    await server.send('GET', `/api/v3/message?chat_id=${id}`),
    await server.generate({ chat_id: id, input: 'Hi' }),
    await server.generate({ chat_id: id, input: 'Hi', stream: true }),
  ]
  for (const { status, json } of answers) {
    expect([status, json.error.code]).toEqual([409, 'wrong_chat_version'])
    expect(json.detail).toContain('/api/v2')
  }
  expect((await server.send('GET', `/api/v2/chat/${id}`)).json).toEqual(before)
  expect((await server.send('GET', '/api/v3/attachment')).json.result).toEqual([])
})
