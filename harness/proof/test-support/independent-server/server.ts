import { listen, type TestHost } from '../../../conformance/test-support/listen.ts'
import { listChats, listFavorites, markFavorite, nameChat, renameChat } from './chat-list.ts'
import { createChat, deleteChat, showChat, showHistory } from './chats.ts'
import { complete, listModels } from './compatible.ts'
import { listFiles, listFilesOfChat, storeFile } from './files.ts'
import { generate } from './generate.ts'
import { type Hooks, legal } from './hooks.ts'
import { type Call, Refusal, sendRefusal, sendText } from './http.ts'
import { knowledgeRoute } from './knowledge.ts'
import { answerOnce } from './one-shot.ts'
import { createState, type State } from './state.ts'
import { answerMessage, createV2Chat, storeMessage } from './v2.ts'
import { refuseV2Chat } from './versions.ts'

export interface HandMadeServer extends TestHost {
  readonly key: string
  /** Key of a second caller. */
  readonly otherKey: string
  /** Chats that are there now. */
  chats(): number
}

/**
 * A second implementation of the service, written from the document alone and unlike ours wherever
 * the document leaves it open: other wrappers, statuses, error bodies, order of rows, line ends.
 */
export async function startHandMadeServer(changes: Partial<Hooks> = {}): Promise<HandMadeServer> {
  const hooks: Hooks = { ...legal, ...changes }
  const keys = [`tok_${crypto.randomUUID()}`, `tok_${crypto.randomUUID()}`] as const
  const [mine, theirs] = [createState(), createState()]
  const host = await listen((request, response) => {
    if (hooks.answers(request, response)) return
    const url = new URL(request.url ?? '/', 'http://localhost')
    const call: Call = { hooks, request, response, url }
    const isTheirs = request.headers.authorization === `Bearer ${keys[1]}`
    const visit = isTheirs ? { key: keys[1], state: theirs } : { key: keys[0], state: mine }
    answer(call, visit).catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else if (error instanceof Refusal) sendRefusal(call, error)
      else sendText(call, 500, String(error))
    })
  })
  return { ...host, key: keys[0], otherKey: keys[1], chats: () => mine.chats.size }
}

interface Visit {
  readonly key: string
  readonly state: State
}

async function answer(call: Call, { key, state }: Visit): Promise<void> {
  const { hooks, request, url } = call
  const [id = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(url.pathname) ?? []
  const route = `${request.method} ${id === '' ? url.pathname : url.pathname.replace(id, '{chat_id}')}`
  if (!hooks.accepts(request.headers.authorization, key, route)) {
    throw new Refusal(hooks.refusal(route), 'who are you?')
  }
  const handle = knowledgeRoute(call, state.knowledgeBase) ?? routesOf(call, state, id)[route]
  if (handle === undefined) throw new Refusal(404, 'nothing is here')
  if (route.includes('/api/v3/')) {
    refuseV2Chat(state, id)
    refuseV2Chat(state, url.searchParams.get('chat_id'))
  }
  await handle()
}

type Routes = Readonly<Record<string, () => void | Promise<void>>>

function routesOf(call: Call, state: State, id: string): Routes {
  const { chats, remembered } = state
  return {
    'GET /api/openai/models': () => listModels(call),
    'POST /api/openai/chat/completions': () => complete(call, remembered),
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
    'POST /api/v3/message/generate': () => generate(call, state),
    'POST /api/v3/message/one-shot': () => answerOnce(call, state),
    'GET /api/v3/chat/{chat_id}/attachments': () => listFilesOfChat(call, state, id),
    'GET /api/v3/attachment': () => listFiles(call, state),
    'POST /api/v3/attachment': () => storeFile(call, state),
    'POST /api/v2/message': () => storeMessage(call, state),
    'POST /api/v2/message/generate': () => answerMessage(call, state),
    'PUT /api/portal/rooms': () => createV2Chat(call, state),
  }
}
