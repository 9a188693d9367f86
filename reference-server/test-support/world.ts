import { FormData } from 'undici'
import { assistants, seededBaseId } from '../answering/assistant-context.ts'
import type { World } from './bad-requests.ts'
import type { TestServer } from './server.ts'

/** Makes what good requests to every route name: chats with a turn, a message, a file. */
export async function goodWorld({ send }: Pick<TestServer, 'send'>): Promise<World> {
  const post = async (path: string, body: object, headers = {}) =>
    (await send('POST', path, { body, headers })).json
  const { id: chat_id } = await post('/api/v3/chat', { name: 'One' })
  await post('/api/v3/chat', { name: 'Two' })
  const { id: v2Chat } = await post('/api/v2/chat', { name: 'An older chat' })
  const message = { chat_id: v2Chat, content: 'Hi', model_id: 'SVC-Main' }
  const stored = await post('/api/v2/message', message)
  const turn = { chat_id, model_id: 'svc-main-model', input: 'Hello' }
  await post('/api/v3/message/generate', turn, { 'idempotency-key': crypto.randomUUID() })
  const form = new FormData()
  form.append('chat_id', chat_id)
  form.append('file', new Blob(['x'], { type: 'text/plain' }), 'a.txt')
  const file = await post('/api/v3/attachment', form)
  const cursorOf = async (path: string) =>
    (await send('GET', path)).json.pagination.cursor as string
  return {
    cursors: [
      await cursorOf('/api/v3/chat?limit=1'),
      await cursorOf(`/api/v3/message?chat_id=${chat_id}&limit=1`),
    ],
    members: {
      chat_id,
      base_id: seededBaseId,
      model: 'svc-main-model',
      model_id: 'svc-main-model',
      messages: [{ role: 'user', content: 'Hi' }],
      input: [{ role: 'user', content: [{ type: 'input_file', file_id: file.id }] }],
      content: 'Hi',
      query: 'ferry',
      q: 'ferry',
      name: 'A name',
      assistant_id: assistants[0]?.id,
      attachments: [file],
      rag: { threshold: 0.2, search_type: 'hybrid', limit: 3 },
      runs: [{ id: 'r', output: [{ role: 'assistant', content: 'Hi' }] }],
      stop: ['x'],
    },
    v2Members: { chat_id: v2Chat, parent_id: stored.id, rag: 'agent' },
  }
}
