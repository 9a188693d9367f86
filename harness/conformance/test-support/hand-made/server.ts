import { listen, type TestHost } from '../listen.ts'
import { listChats, listFavorites, markFavorite, nameChat, renameChat } from './chat-list.ts'
import { type Chats, createChat, deleteChat, showChat, showHistory } from './chats.ts'
import { complete, listModels } from './compatible.ts'
import { answerOnce, generate, type Turns } from './generate.ts'
import { type Hooks, legal } from './hooks.ts'
import { type Call, Refusal, sendText } from './http.ts'

export interface HandMadeServer extends TestHost {
  readonly key: string
  /** Chats that are there now. */
  chats(): number
}

/**
 * A second implementation of the service, written from the document alone and unlike ours wherever
 * the document leaves it open: other wrappers, statuses, error bodies, order of rows, line ends.
 */
export async function startHandMadeServer(changes: Partial<Hooks> = {}): Promise<HandMadeServer> {
  const hooks: Hooks = { ...legal, ...changes }
  const key = `tok_${crypto.randomUUID()}`
  const chats: Chats = new Map()
  const turns: Turns = new Map()
  const told: string[] = []
  const host = await listen((request, response) => {
    if (hooks.answers(request, response)) return
    const url = new URL(request.url ?? '/', 'http://localhost')
    const call: Call = { hooks, request, response, url }
    answer(call, { key, chats, turns, told }).catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else if (error instanceof Refusal) sendText(call, error.status, error.message)
      else sendText(call, 500, String(error))
    })
  })
  return { ...host, key, chats: () => chats.size }
}

interface State {
  readonly key: string
  readonly chats: Chats
  readonly turns: Turns
  /** All that was ever said on the compatible surface. */
  readonly told: string[]
}

async function answer(call: Call, { key, chats, turns, told }: State): Promise<void> {
  const { hooks, request, url } = call
  const [id = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(url.pathname) ?? []
  const route = `${request.method} ${id === '' ? url.pathname : url.pathname.replace(id, '{chat_id}')}`
  if (!hooks.accepts(request.headers.authorization, key, route)) {
    throw new Refusal(hooks.refusal(route), 'who are you?')
  }
  const routes: Readonly<Record<string, () => void | Promise<void>>> = {
    'GET /api/openai/models': () => listModels(call),
    'POST /api/openai/chat/completions': () => complete(call, told),
    'GET /api/v3/chat': () => listChats(call, chats),
    'POST /api/v3/chat': () => createChat(call, chats),
    'GET /api/v3/chat/favorite': () => listFavorites(call, chats),
    'GET /api/v3/chat/{chat_id}': () => showChat(call, chats, id),
    'PATCH /api/v3/chat/{chat_id}': () => renameChat(call, chats, id),
    'DELETE /api/v3/chat/{chat_id}': () => deleteChat(call, chats, id),
    'POST /api/v3/chat/{chat_id}/favorite': () => markFavorite(call, chats, id, true),
    'DELETE /api/v3/chat/{chat_id}/favorite': () => markFavorite(call, chats, id, false),
    'POST /api/v3/chat/{chat_id}/generate-name': () => nameChat(call, chats, id),
    'GET /api/v3/message': () => showHistory(call, chats),
    'POST /api/v3/message/generate': () => generate(call, chats, turns),
    'POST /api/v3/message/one-shot': () => answerOnce(call),
  }
  const handle = routes[route]
  if (handle === undefined) throw new Refusal(404, 'nothing is here')
  await handle()
}
