import { expect, it } from 'vitest'
import { type TestServer, testServer } from '../test-support/server.ts'

const model_id = 'svc-main-model'

const store = (server: TestServer, body: object) =>
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
    const { json } = await store(server, { chat_id, content })
    expect((await answer(server, { chat_id, parent_id: json.id })).status).toBe(status)
  }
})

it('creates, lists and deletes v2 chats', async () => {
  const server = await testServer()
  const chat_id = await server.newV2Chat('Old one')
  const list = async () => (await server.send('GET', '/api/v2/chat')).json.result
  expect(await list()).toMatchObject([{ id: chat_id, name: 'Old one', version: 'v2' }])
  expect((await server.send('GET', '/api/v3/chat')).json.result).toEqual([])
  const { json: parent } = await store(server, { chat_id, content: 'Hi' })
  expect((await server.send('DELETE', `/api/v2/chat/${chat_id}`)).status).toBe(204)
  expect(await list()).toEqual([])
  expect((await answer(server, { chat_id, parent_id: parent.id })).status).toBe(404)
})
