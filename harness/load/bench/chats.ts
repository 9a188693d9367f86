/**
 * The chats of a bench of v3 generate. A chat grows with every turn and a longer one costs more, so that
 * a bench in one chat never comes to rest. Here a connection leaves its chat after `turns` turns for a
 * fresh one, and connections begin at different turns: at any time the chats hold (turns − 1) / 2
 * earlier turns on average, from the first second to the last.
 */
import { type Dispatcher, request } from 'undici'
import { operations } from '../../contract/index.ts'
import { NoAnswerError } from './baseline.ts'

export interface ChatSupply {
  /** The chat of the next turn of a connection. */
  next(connection: number): string
  /** How often no fresh chat was left, and a connection went on in the one that it had. */
  readonly exhausted: number
  readonly made: number
  /** Deletes them all. @returns how many are left behind */
  remove(): Promise<number>
}

export interface ChatSource {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly dispatcher: Dispatcher
}

/** @throws NoAnswerError where the service makes no chat, or shows no id of it */
export async function chatSupply(
  source: ChatSource,
  { chats, turns, connections }: { chats: number; turns: number; connections: number },
): Promise<ChatSupply> {
  const ids = await severally(Array.from({ length: chats }), () => createChat(source))
  const current = Array.from({ length: connections }, (_, connection) => ({
    id: ids[connection % ids.length] ?? '',
    left: 1 + (connection % turns),
  }))
  let used = Math.min(connections, ids.length)
  let exhausted = 0
  return {
    next(connection) {
      const chat = current[connection]
      if (chat === undefined) throw new RangeError(`no connection ${connection}`)
      if (chat.left === 0) {
        const fresh = ids[used]
        used += 1
        if (fresh === undefined) exhausted += 1
        else chat.id = fresh
        chat.left = turns
      }
      chat.left -= 1
      return chat.id
    },
    get exhausted() {
      return exhausted
    },
    made: ids.length,
    remove: async () => {
      const removed = await severally(ids, (id) => deleteChat(source, id))
      return removed.filter((gone) => !gone).length
    },
  }
}

async function createChat({ baseUrl, headers, dispatcher }: ChatSource): Promise<string> {
  const { method, path } = operations['v3.createChat']
  const { statusCode, body } = await request(`${baseUrl}${path}`, {
    method,
    headers,
    dispatcher,
    body: JSON.stringify({ name: 'bench' }),
  })
  const text = await body.text()
  const id = statusCode < 300 ? idIn(text) : undefined
  if (id === undefined) {
    throw new NoAnswerError(
      `${method} ${path} answered ${statusCode} and shows no id of a chat: ${text.slice(0, 200)}`,
      statusCode,
    )
  }
  return id
}

async function deleteChat(
  { baseUrl, headers, dispatcher }: ChatSource,
  id: string,
): Promise<boolean> {
  const { method, path } = operations['v3.deleteChat']
  const url = `${baseUrl}${path.replace('{chat_id}', id)}`
  try {
    const { 'content-type': _, ...rest } = headers
    const { statusCode, body } = await request(url, { method, headers: rest, dispatcher })
    await body.dump()
    return statusCode < 300 || statusCode === 404
  } catch {
    return false
  }
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The document does not show where the id stands: the first UUID under `id` or `chat_id` is taken. */
function idIn(text: string): string | undefined {
  let found: string | undefined
  try {
    JSON.parse(text, (name, value) => {
      if ((name === 'id' || name === 'chat_id') && uuid.test(value)) found ??= value
      return value
    })
  } catch {
    return undefined
  }
  return found
}

const atOnce = 16

async function severally<From, To>(
  values: readonly From[],
  work: (value: From) => Promise<To>,
): Promise<To[]> {
  const results: To[] = []
  for (let from = 0; from < values.length; from += atOnce) {
    results.push(...(await Promise.all(values.slice(from, from + atOnce).map(work))))
  }
  return results
}
