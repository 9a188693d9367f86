import { expect, test } from 'vitest'
import { testServer } from '../../test-support/server.ts'
import { alsoDo, failAfterSuccess } from './replies.ts'
import { flattenField, ignoreQuery } from './requests.ts'
import { chatList, readChat, removeFavorite, storeMessage } from './routes.ts'
import { onStore } from './services.ts'

test('onStore changes one method of one part of the store', async () => {
  const { send, newChat } = await testServer({
    patch: onStore('chats', () => ({ list: async () => ({ rows: [], next: null }) })),
  })
  const chat = await newChat()
  const list = await send('GET', '/api/v3/chat')
  expect(list.json.result).toEqual([])
  const read = await send('GET', `/api/v3/chat/${chat}`)
  expect(read.status).toBe(200)
})

test('alsoDo keeps the answer', async () => {
  const paths: string[] = []
  const { send, newChat } = await testServer({
    patch: alsoDo(removeFavorite, async (_, { params }, { status }) => {
      paths.push(`${status} ${params['chat_id']}`)
    }),
  })
  const chat = await newChat()
  const removed = await send('DELETE', `/api/v3/chat/${chat}/favorite`)
  expect(removed.json.id).toBe(chat)
  await send('DELETE', `/api/v3/chat/${chat}`)
  expect(paths).toEqual([`200 ${chat}`])
})

test('failAfterSuccess keeps the error for a chat of the other version', async () => {
  const { send, newChat, newV2Chat } = await testServer({ patch: failAfterSuccess(readChat, 405) })
  const denied = await send('GET', `/api/v3/chat/${await newChat()}`)
  expect(denied.status).toBe(405)
  const other = await send('GET', `/api/v3/chat/${await newV2Chat()}`)
  expect(other.status).toBe(409)
  expect(other.text).toContain('/api/v2')
})

test('ignoreQuery drops a query parameter', async () => {
  const { send, newChat } = await testServer({ patch: ignoreQuery(chatList, 'limit') })
  await newChat()
  await newChat()
  const list = await send('GET', '/api/v3/chat?limit=1')
  expect(list.json.result).toHaveLength(2)
})

test('flattenField takes a member of an object', async () => {
  const { send, newV2Chat } = await testServer({
    patch: flattenField(storeMessage, 'content', 'text'),
  })
  const body = {
    chat_id: await newV2Chat(),
    model_id: 'svc-main-model',
    content: { text: 'Hello.' },
  }
  const stored = await send('POST', '/api/v2/message', { body })
  expect(stored.json.content).toBe('Hello.')
})
