import {
  asText,
  bodyOf,
  type Call,
  echo,
  isText,
  type Json,
  Refusal,
  sendJson,
  sendNothing,
} from './http.ts'
import { type Chat, createChat, replicationMs } from './state.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The chat of a request; refuses an unknown one, and one of the other version with the right prefix. */
export function findChat(call: Call, id: unknown, version: 'v2' | 'v3'): Chat {
  const chat = existing(call, id)
  if (chat === undefined) throw new Refusal(410, 'chat_id: no such chat')
  if (chat.version !== version) {
    throw new Refusal(421, `this chat lives under /api/${chat.version}`)
  }
  return chat
}

function existing({ user }: Call, id: unknown): Chat | undefined {
  if (!isText(id) || !uuid.test(id)) throw new Refusal(422, 'chat_id: a UUID')
  return user.chats.get(id.toUpperCase()) ?? user.chats.get(id)
}

/** Any fresh UUID is a new v2 chat when a v2 message names it. */
export function openV2Chat(call: Call, reference: unknown): Chat {
  const present = existing(call, reference)
  if (present !== undefined) return findChat(call, reference, 'v2')
  const id = asText(reference).toUpperCase()
  const chat = createChat('v2', id, '', {})
  call.user.chats.set(id, chat)
  return chat
}

export function addChat(call: Call): void {
  const body = bodyOf(call)
  if (!isText(body['name'])) throw new Refusal(422, 'name: a string')
  const id = crypto.randomUUID().toUpperCase()
  const chat = createChat('v3', id, body['name'], echo(call))
  call.user.chats.set(id, chat)
  sendJson(call, 201, { made: { chat: record(chat) } })
}

function record({ id, name, version, favorite, createdAt }: Chat): Json {
  return { ref: id, name, version, starred: favorite, since: new Date(createdAt).toISOString() }
}

/** Sorted by id, so that a new chat may appear anywhere. */
export function listChats(call: Call, isOfFavorites: boolean): void {
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
  sendJson(call, 200, { page: { entries, further: cursor } })
}

export function showChat(call: Call): void {
  const chat = findChat(call, call.ids[0], 'v3')
  sendJson(call, 200, { conversation: record(chat) })
}

export function patchChat(call: Call): void {
  const chat = findChat(call, call.ids[0], 'v3')
  const body = bodyOf(call)
  if (!isText(body['name'])) throw new Refusal(422, 'name: a string')
  chat.name = body['name']
  sendNothing(call)
}

/** Takes effect after the replication delay. */
export function deleteChat(call: Call): void {
  const chat = findChat(call, call.ids[0], 'v3')
  sendNothing(call, 202)
  setTimeout(() => {
    chat.deleted = true
    call.user.chats.delete(chat.id)
  }, replicationMs)
}

export function nameChat(call: Call): void {
  const chat = findChat(call, call.ids[0], 'v3')
  const first = chat.rows.find(({ item }) => item['role'] === 'user')
  const title = first === undefined ? 'An empty chat' : 'A chat at the harbour'
  chat.name = title
  sendJson(call, 200, { headline: title })
}

export function markFavorite(call: Call, favorite: boolean): void {
  findChat(call, call.ids[0], 'v3').favorite = favorite
  sendNothing(call)
}

export interface ListPage<T> {
  readonly rows: readonly T[]
  readonly cursor: string | null
}

/**
 * A page of a list whose elements have an immutable key. A cursor names the last element of a page, so that
 * additions and deletions between pages shift nothing.
 */
export function pageOf<T>(
  call: Call,
  list: readonly T[],
  keyOf: (element: T) => string,
  max = 7,
  usual = max,
): ListPage<T> {
  const from = startOf(call, list.map(keyOf))
  const rows = list.slice(from, from + Math.min(limitOf(call, usual), max))
  const last = from + rows.length < list.length ? rows.at(-1) : undefined
  return { rows, cursor: last === undefined ? null : cursorAfter(keyOf(last)) }
}

function limitOf({ query }: Call, defaultLimit: number): number {
  const limit = query.get('limit')
  if (limit === null) return defaultLimit
  if (!/^[1-9]\d*$/.test(limit)) throw new Refusal(422, 'limit: a positive integer')
  return Number(limit)
}

function cursorAfter(key: string): string {
  return Buffer.from(`after ${key}`).toString('base64url')
}

function startOf({ query }: Call, keys: readonly string[]): number {
  const cursor = query.get('cursor')
  if (cursor === null) return 0
  const [word, key = ''] = Buffer.from(cursor, 'base64url').toString().split(' ')
  if (word !== 'after') throw new Refusal(422, 'cursor: not one of ours')
  const position = keys.indexOf(key)
  if (position >= 0) return position + 1
  // If the named element was deleted, its position follows from the sort order of the keys.
  const later = keys.findIndex((other) => other > key)
  return later < 0 ? keys.length : later
}
