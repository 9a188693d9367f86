import { assistants, seededBaseId } from '../answering/assistant-context.ts'
import type { Call, Route } from '../http/call.ts'
import type { TestServer } from './server.ts'

/** Literal segments take precedence over parameters, as in the router. */
export function isCallOf(route: Route, { method, path }: Call): boolean {
  if (path.endsWith('/chat/favorite') && route.path.endsWith(':chat_id')) return false
  const pattern = route.path.replace(/:\w+/g, '[^/]+')
  return route.method === method && new RegExp(`^${pattern}$`).test(path)
}

/** At least one success of every route; JSON omits undefined values from the compared bodies. */
export async function tour(server: TestServer): Promise<void> {
  const get = (path: string) => server.send('GET', path)
  const model_id = 'SVC-Main'
  const catalog = ['/api/openai/models', '/api/openai/models/SVC-Main', '/api/v3/model']
  for (const path of ['/healthz', '/readyz', ...catalog, '/api/v3/assistant']) await get(path)
  for (const stream of [false, true]) await server.complete('Hi', { stream })
  const old = await server.newV2Chat()
  const message = { chat_id: old, model_id, content: 'What time is it?', think: true }
  const parent_id = (await server.send('POST', '/api/v2/message', { body: message })).json.id
  const reply = { chat_id: old, model_id, parent_id }
  await server.send('POST', '/api/v2/message/generate', { body: reply })
  for (const path of ['/api/v2/chat', `/api/v2/chat/${old}`]) await get(path)
  await server.send('DELETE', `/api/v2/chat/${old}`)
  const chat_id = await server.newChat()
  const chat = `/api/v3/chat/${chat_id}`
  const assistant_id = assistants[0]?.id
  const body = { chat_id, assistant_id, input: 'Where is the ferry?', rag: true, think: true }
  for (const stream of [false, true]) {
    await server.generate({ ...body, stream })
    await server.oneShot({ input: 'Hi', stream })
  }
  await server.upload({ name: 'a.txt', content: 'x' }, { chat_id })
  await server.send('POST', `${chat}/favorite`)
  await server.send('POST', `${chat}/generate-name`)
  await server.send('PATCH', chat, { body: { name: 'x' } })
  const lists = ['/api/v3/chat', '/api/v3/chat/favorite', '/api/v3/attachment']
  const ofChat = [chat, `${chat}/attachments`, `/api/v3/message?chat_id=${chat_id}`]
  for (const path of [...lists, ...ofChat]) await get(path)
  await server.send('DELETE', `${chat}/favorite`)
  await server.send('DELETE', chat)
  for (const prefix of ['/api/knowledge', '/api/v3/knowledge']) {
    const base = (await server.send('POST', prefix, { body: { name: 'x' } })).json.id
    const documents = `${prefix}/${base}/documents`
    const { json } = await server.upload({ name: 'a.txt', content: 'x' }, {}, documents)
    for (const path of [prefix, `${prefix}/${base}`, documents]) await get(path)
    await get(`${prefix}/${seededBaseId}/search?q=ferry`)
    await server.send('POST', `${prefix}/${seededBaseId}/search`, { body: { query: 'ferry' } })
    await server.send('DELETE', `${documents}/${json.id}`)
    await server.send('DELETE', `${prefix}/${base}`)
  }
}
