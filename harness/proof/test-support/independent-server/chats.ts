import type { Json } from './hooks.ts'
import { type Call, Refusal, readJson, sendJson } from './http.ts'

/** Input of one turn, and the turn before it, if it names one. */
export interface Run {
  readonly id: string
  readonly parent: string | undefined
  readonly messages: readonly string[]
}

export interface Chat {
  readonly id: string
  name: string
  favorite: boolean
  readonly runs: Run[]
  /** Run items, the oldest first. */
  readonly items: Json[]
}

export type Chats = Map<string, Chat>

export async function createChat(call: Call, chats: Chats): Promise<void> {
  const { name, folder, ...rest } = await readJson(call)
  if (typeof name !== 'string') throw new Refusal(422, 'a name is wanted')
  if (call.hooks.wantsMore && (folder !== 'harbour' || Object.keys(rest).length > 0)) {
    throw new Refusal(422, 'a folder is wanted, and nothing else')
  }
  const chat = { id: crypto.randomUUID(), name, favorite: false, runs: [], items: [] }
  chats.set(chat.id, chat)
  sendJson(call, 200, call.hooks.created(chat.id, name))
}

export function showChat(call: Call, chats: Chats, id: string): void {
  const { name, runs } = chatOf(chats, id)
  sendJson(call, 200, [{ about: { title: name, turns: runs.length } }])
}

export function deleteChat({ response }: Call, chats: Chats, id: string): void {
  chatOf(chats, id)
  chats.delete(id)
  response.writeHead(204).end()
}

/** The history, newest first; a cursor says which row the page before ended with. */
export function showHistory(call: Call, chats: Chats): void {
  const { hooks, url } = call
  const chat = chatOf(chats, url.searchParams.get('chat_id'))
  const everybodys = [...chats.values()].flatMap(({ items }) => items)
  const rows = hooks.rows(chat.items, everybodys)
  const limit = Math.min(Number(url.searchParams.get('limit') ?? hooks.defaultLimit), 100)
  const position = positionOf(url.searchParams.get('cursor'))
  const before =
    position === undefined ? rows.length : hooks.countsFromEnd ? rows.length - position : position
  const start = Math.max(0, before - limit)
  const all = rows.map(rowOf).map(hooks.row).reverse()
  const from = all.length - before
  const page = {
    result: all.slice(from, from + limit),
    pagination: { cursor: start > 0 ? cursorAt(start) : null, total: rows.length },
  }
  sendJson(call, 200, hooks.page(page, { start: from, limit, rows: all }))
}

export function chatOf(chats: Chats, id: unknown): Chat {
  const chat = typeof id === 'string' ? chats.get(id) : undefined
  if (chat === undefined) throw new Refusal(404, 'there is no such chat')
  return chat
}

export function cursorAt(position: number): string {
  return Buffer.from(`before:${position}`).toString('base64url')
}

function positionOf(cursor: string | null): number | undefined {
  if (cursor === null) return undefined
  const [, position] = /^before:(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (position === undefined) throw new Refusal(422, 'a strange cursor')
  return Number(position)
}

function rowOf(item: Json): Json {
  const { type, status } = item
  return {
    ...(type === undefined ? {} : { item_type: type }),
    ...(status === undefined ? {} : { item_status: status }),
    item,
    stored_by: 'hand',
  }
}
