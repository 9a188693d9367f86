import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseJson } from '../../../../contract/json.ts'
import { listen, readBody, type TestHost } from '../../../client/test-support/listen-on-loopback.ts'
import {
  chatInPath,
  deleteChat,
  findChat,
  listChats,
  markFavorite,
  nameChat,
  newChat,
  pageOf,
  patchChat,
  record,
} from './chats.ts'
import { complete, listModels } from './generation.ts'
import {
  asJson,
  type Call,
  isCompatible,
  isJson,
  type Json,
  Refusal,
  readForm,
  sendJson,
  sendRefusal,
} from './http.ts'
import { answerMessage, generate, oneShot, showHistory, storeMessage } from './messages.ts'
import { findIn } from './model.ts'
import {
  createState,
  createUser,
  type KnowledgeBase,
  legal,
  type Rules,
  type State,
} from './state.ts'

export interface SecondServer extends TestHost {
  /** Keys of two callers. */
  readonly keys: readonly [string, string]
  /** Number of existing chats of the first caller: all, or those of a version. No route deletes a v2 chat. */
  chats(version?: 'v2' | 'v3'): number
}

/**
 * A full implementation of the service, written from the document alone, with other choices at all open points.
 * `changes` introduce one violation; `intercepts` answers a request instead of the server, or returns false.
 */
export async function startSecondServer(
  changes: Partial<Rules> = {},
  intercepts: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Promise<SecondServer> {
  const rules = { ...legal, ...changes }
  const keys = [newKey(), newKey()] as const
  const state = createState(keys)
  const host = await listen((request, response) => {
    if (intercepts(request, response)) return
    serve(rules, state, keys, request, response).catch(() => response.destroy())
  })
  const chats = (version?: 'v2' | 'v3') =>
    [...(state.users.get(keys[0])?.chats.values() ?? [])].filter(
      (chat) => version === undefined || chat.version === version,
    ).length
  return { ...host, keys, chats }
}

function newKey(): string {
  return `Harbour.${crypto.randomUUID()}`
}

async function serve(
  rules: Rules,
  state: State,
  keys: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const bytes = await readBody(request)
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const [path, id] = placeOf(pathname)
  const route = `${request.method} ${path}`
  const raw = asJson(parseJson(bytes.toString('utf8')))
  const key = rules.accepts(request.headers.authorization, keys)
  const user = state.users.get(key ?? '') ?? createUser()
  const visit = { rules, state, user, request, response, route, id, bytes, raw }
  const call: Call = { ...visit, query: searchParams }
  try {
    if (key === undefined) throw new Refusal(isCompatible(call) ? 401 : 403, 'no entry')
    const handle = routes[route]
    if (handle === undefined) throw new Refusal(404, 'nothing is moored here')
    const body = await handle(call)
    if (isJson(body)) sendJson(call, 200, body)
  } catch (error) {
    if (response.headersSent) throw error
    sendRefusal(call, error instanceof Refusal ? error : new Refusal(500, String(error)))
  }
}

/** Replaces the variable part of a path by `{id}`. */
function placeOf(pathname: string): readonly [path: string, id: string] {
  const path = pathname.replace('/api/v3/knowledge', '/api/knowledge')
  const variable = /(?<=\/chat\/)(?!(favorite|completions)$)[^/]+|(?<=\/knowledge\/)[^/]+/
  return [path.replace(variable, '{id}'), decodeURIComponent(variable.exec(path)?.[0] ?? '')]
}

/** Handlers, which return the body of a 200 or answer themselves. */
const routes: Readonly<Record<string, (call: Call) => unknown>> = {
  'GET /api/openai/models': listModels,
  'POST /api/openai/chat/completions': complete,
  'POST /api/v2/message': storeMessage,
  'POST /api/v2/message/generate': answerMessage,
  'GET /api/v3/message': showHistory,
  'POST /api/v3/message/generate': generate,
  'POST /api/v3/message/one-shot': oneShot,
  'GET /api/v3/chat': (call) => listChats(call, false),
  'POST /api/v3/chat': (call) => sendJson(call, 201, { made: { chat: newChat(call) } }),
  'GET /api/v3/chat/favorite': (call) => listChats(call, true),
  'GET /api/v3/chat/{id}': (call) => ({ conversation: record(chatInPath(call)) }),
  'PATCH /api/v3/chat/{id}': patchChat,
  'DELETE /api/v3/chat/{id}': deleteChat,
  'POST /api/v3/chat/{id}/generate-name': nameChat,
  'GET /api/v3/chat/{id}/attachments': (call) => listFiles(call, call.id),
  'POST /api/v3/chat/{id}/favorite': (call) => markFavorite(call, true),
  'DELETE /api/v3/chat/{id}/favorite': (call) => markFavorite(call, false),
  'GET /api/v3/attachment': (call) => listFiles(call, call.query.get('chat_id')),
  'POST /api/v3/attachment': addFile,
  'GET /api/knowledge': ({ state }) => ({
    bases: [...state.bases.values()].map(({ id, title }) => ({ kb: id, title })),
  }),
  'POST /api/knowledge/{id}/documents': addDocument,
  'GET /api/knowledge/{id}/find': (call) => {
    const hits = findIn(baseOf(call).documents, call.query.get('about') ?? '')
    return { hits: hits.map((excerpt) => ({ excerpt })) }
  },
}

async function addDocument(call: Call): Promise<void> {
  const base = baseOf(call)
  const { bytes } = await readForm(call)
  const id = `${base.id}-d${base.documents.length}`
  base.documents.push({ id, text: bytes.toString('utf8') })
  sendJson(call, 202, { document: id })
}

function baseOf({ state, id }: Call): KnowledgeBase {
  const base = state.bases.get(id)
  if (base === undefined) throw new Refusal(404, 'no such base')
  return base
}

/** Ids are numbers in a string, counted over all callers. */
async function addFile(call: Call): Promise<void> {
  const { chatId, name, type, bytes } = await readForm(call)
  const chat = chatId === null ? undefined : findChat(call, chatId, 'v3')
  call.state.count += 1
  const record = {
    id: String(1000 + call.state.count),
    filename: name,
    content_type: type,
    bucket: 'pier-nine',
    size: bytes.length,
    created_at: new Date().toISOString(),
  }
  call.user.files.push({ record, chat: chat?.id })
  sendJson(call, 201, { cargo: record })
}

function listFiles(call: Call, chatId: string | null): Json {
  const { query, user } = call
  const chat = chatId === null ? undefined : findChat(call, chatId, 'v3')
  const search = (query.get('search') ?? '').toLowerCase()
  const list = user.files
    .filter((file) => chat === undefined || file.chat === chat.id)
    .map(({ record }) => record)
    .filter(({ filename }) => filename.toLowerCase().includes(search))
  const { rows, cursor } = pageOf(call, list, ({ id }) => id)
  return { manifest: rows, onward: { token: cursor } }
}
