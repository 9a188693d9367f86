import { asText, bodyOf, type Call, echo, isText, type Json, Refusal, sendNothing } from './http.ts'
import { type Chat, createChat, replicationMs } from './state.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The chat of a request; refuses an unknown one, and one of the other version with the right prefix. */
export function findChat(call: Call, id: unknown, version: 'v2' | 'v3'): Chat {
  const chat = existing(call, id)
  if (chat === undefined) throw new Refusal(410, 'chat_id: no such chat')
  if (chat.version === version) return chat
  throw new Refusal(421, `this chat lives under /api/${chat.version}`)
}

export function chatInPath(call: Call): Chat {
  return findChat(call, call.id, 'v3')
}

function existing({ user }: Call, id: unknown): Chat | undefined {
  if (!isText(id) || !uuid.test(id)) throw new Refusal(422, 'chat_id: a UUID')
  return user.chats.get(id.toUpperCase()) ?? user.chats.get(id)
}

/** Any fresh UUID is a new v2 chat when a v2 message names it. */
export function openV2Chat(call: Call, reference: unknown): Chat {
  if (existing(call, reference) !== undefined) return findChat(call, reference, 'v2')
  return addChat(call, createChat('v2', asText(reference).toUpperCase(), '', {}))
}

function addChat({ user }: Call, chat: Chat): Chat {
  user.chats.set(chat.id, chat)
  return chat
}

export function newChat(call: Call): Json {
  const id = crypto.randomUUID().toUpperCase()
  return record(addChat(call, createChat('v3', id, nameIn(call), echo(call))))
}

function nameIn(call: Call): string {
  const { name } = bodyOf(call)
  if (!isText(name)) throw new Refusal(422, 'name: a string')
  return name
}

export function record({ id, name, version, favorite, createdAt }: Chat): Json {
  return { ref: id, name, version, starred: favorite, since: new Date(createdAt).toISOString() }
}

/** Sorted by id, so that a new chat may appear anywhere. */
export function listChats(call: Call, isOfFavorites: boolean): Json {
  const { query, user } = call
  const search = (query.get('search') ?? '').toLowerCase()
  const without = ['true', '1'].includes(query.get('exclude_favorites') ?? '')
  const fits = (chat: Chat) =>
    chat.version === 'v3' &&
    !chat.deleted &&
    chat.name.toLowerCase().includes(search) &&
    (isOfFavorites ? chat.favorite : !(without && chat.favorite))
  const list = [...user.chats.values()].filter(fits).sort((a, b) => (a.id < b.id ? -1 : 1))
  const { rows, cursor } = pageOf(call, list, ({ id }) => id)
  const entries = rows.map((chat) => ({ conversation: record(chat), origin: chat.origin }))
  return { page: { entries, further: cursor } }
}

export function patchChat(call: Call): void {
  const chat = chatInPath(call)
  chat.name = nameIn(call)
  sendNothing(call)
}

/** Takes effect after the replication delay. */
export function deleteChat(call: Call): void {
  const chat = chatInPath(call)
  sendNothing(call, 202)
  setTimeout(() => {
    chat.deleted = true
    call.user.chats.delete(chat.id)
  }, replicationMs)
}

export function nameChat(call: Call): Json {
  const chat = chatInPath(call)
  const isEmpty = chat.rows.every(({ item }) => item['role'] !== 'user')
  chat.name = isEmpty ? 'An empty chat' : 'A chat at the harbour'
  return { headline: chat.name }
}

export function markFavorite(call: Call, favorite: boolean): void {
  chatInPath(call).favorite = favorite
  sendNothing(call)
}

/**
 * A page of a list that is sorted by an immutable key. A cursor names the last element of a page, so that additions and
 * deletions between pages shift nothing.
 */
export function pageOf<T>(
  { query }: Call,
  list: readonly T[],
  keyOf: (element: T) => string,
  max = 7,
  usual = max,
) {
  const cursor = query.get('cursor') ?? cursorAfter('')
  const [word, key = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (word !== 'after') throw new Refusal(422, 'cursor: not one of ours')
  const limit = query.get('limit') ?? String(usual)
  if (!/^[1-9]\d*$/.test(limit)) throw new Refusal(422, 'limit: a positive integer')
  const rest = list.filter((element) => keyOf(element) > key)
  const rows = rest.slice(0, Math.min(Number(limit), max))
  const last = rows.length < rest.length ? rows.at(-1) : undefined
  return { rows, cursor: last === undefined ? null : cursorAfter(keyOf(last)) }
}

function cursorAfter(key: string): string {
  return Buffer.from(`after ${key}`).toString('base64url')
}
