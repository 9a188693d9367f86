import { type Chats, chatOf } from './chats.ts'
import type { Json } from './hooks.ts'
import { type Call, Refusal, readJson, sendJson } from './http.ts'

const usualLimit = 20

/** The chats, newest first; a cursor counts how many are gone by. */
export function listChats(call: Call, chats: Chats): void {
  const { searchParams } = call.url
  const search = (searchParams.get('search') ?? '').toLowerCase()
  const without = call.hooks.wantsMore ? 'every' : 'true'
  const found = [...chats.values()]
    .reverse()
    .filter(({ name }) => name.toLowerCase().includes(search))
    .filter(({ favorite }) => searchParams.get('exclude_favorites') !== without || !favorite)
  const start = Number(searchParams.get('cursor') ?? 0)
  const end = start + Number(searchParams.get('limit') ?? usualLimit)
  const items = found.slice(start, end).map(({ id, name }) => ({ uuid: id, title: name }))
  sendJson(call, 200, { items, paging: { next: end < found.length ? `${end}` : null } })
}

export function listFavorites(call: Call, chats: Chats): void {
  const favorites = [...chats.values()].filter(({ favorite }) => favorite)
  sendJson(call, 200, { data: { favorites: favorites.map(({ name }) => name) } })
}

export function markFavorite(call: Call, chats: Chats, id: string, favorite: boolean): void {
  chatOf(chats, id).favorite = favorite
  call.response.writeHead(204).end()
}

export async function renameChat(call: Call, chats: Chats, id: string): Promise<void> {
  const chat = chatOf(chats, id)
  const body = await readJson(call)
  const name = call.hooks.wantsMore ? titleIn(body) : body['name']
  if (typeof name !== 'string') throw new Refusal(422, 'a name is wanted')
  chat.name = name
  call.response.writeHead(204).end()
}

/** The title is one of the words that were said first; it shows when the chat is read. */
export function nameChat(call: Call, chats: Chats, id: string): void {
  const chat = chatOf(chats, id)
  const [first] = chat.runs
  chat.name = `About ${first?.messages[0]?.split(' ').at(-1) ?? 'nothing'}`
  call.response.writeHead(202).end()
}

/** Title of a body, from the member that the server requires. */
function titleIn({ change }: Json): unknown {
  return typeof change === 'object' && change !== null ? (change as Json)['title'] : undefined
}
