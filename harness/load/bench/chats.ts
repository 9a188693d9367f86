/**
 * The chats of a bench of v3 generate. A chat grows with every turn and a longer one costs more, so that
 * a bench in one chat never comes to rest. Here a connection leaves its chat after `turns` turns for a
 * fresh one, and connections begin at different turns: at any time the chats hold (turns − 1) / 2
 * earlier turns on average, from the first second to the last.
 */
import { setMaxListeners } from 'node:events'
import { type Dispatcher, request } from 'undici'
import {
  type Address,
  chatIdNames,
  destinationOf,
  findId,
  operations,
  parseJson,
  pathOf,
  urlOf,
  withoutEcho,
} from '../../../contract/index.ts'
import { mapConcurrently, withGracePeriod } from '../concurrency.ts'
import { NoAnswerError } from './baseline.ts'

export interface ChatSupply {
  /** The chat of the next turn of a connection. */
  next(connection: number): string
  /** Number of times that no fresh chat was left and a connection continued in its chat. */
  readonly exhausted: number
  readonly made: number
  /** Deletes them all. @returns number of chats left behind */
  remove(): Promise<number>
}

export interface ChatSource {
  readonly address: Address
  readonly headers: Readonly<Record<string, string>>
  readonly dispatcher: Dispatcher
  /** Aborted, no more are made; those that were are deleted all the same. */
  readonly signal: AbortSignal
}

/**
 * @throws NoAnswerError if the service makes no chat, or shows no id of it; those that it made
 * until then are deleted
 */
export async function chatSupply(
  source: ChatSource,
  { chats, turns, connections }: { chats: number; turns: number; connections: number },
): Promise<ChatSupply> {
  const ids: string[] = []
  const delayedSignal = withGracePeriod(source.signal)
  const make = async () => {
    source.signal.throwIfAborted()
    ids.push(await createChat({ ...source, signal: delayedSignal }))
  }
  try {
    await mapConcurrently(Array.from({ length: chats }), concurrency, make)
  } catch (error) {
    await deleteChats(source, ids)
    throw error
  }
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
        const id = ids[used]
        used += 1
        if (id === undefined) exhausted += 1
        else chat.id = id
        chat.left = turns
      }
      chat.left -= 1
      return chat.id
    },
    get exhausted() {
      return exhausted
    },
    made: ids.length,
    remove: () => deleteChats(source, ids),
  }
}

async function createChat({ address, headers, dispatcher, signal }: ChatSource): Promise<string> {
  const { method, path } = operations['v3.createChat']
  const url = urlOf(address, path)
  const json = { name: 'bench' }
  const { statusCode, body } = await request(url, {
    method,
    headers,
    dispatcher,
    signal,
    body: JSON.stringify(json),
  })
  const text = await body.text()
  const answer = withoutEcho(parseJson(text), {
    ...destinationOf(address, path),
    headers: [],
    json,
  })
  const id = statusCode < 300 ? findId(answer, chatIdNames) : undefined
  if (id === undefined) {
    throw new NoAnswerError(
      `${method} ${path} answered ${statusCode} and shows no id of a chat: ${text.slice(0, 200)}`,
      statusCode,
    )
  }
  return id
}

/** @returns number of chats left behind */
async function deleteChats(source: ChatSource, ids: readonly string[]): Promise<number> {
  const timeout = AbortSignal.timeout(cleanupMs)
  setMaxListeners(0, timeout)
  const deletions = await mapConcurrently(ids, concurrency, (id) =>
    deleteChat({ ...source, signal: timeout }, id),
  )
  return deletions.filter((isDeleted) => !isDeleted).length
}

async function deleteChat(
  { address, headers, dispatcher, signal }: ChatSource,
  id: string,
): Promise<boolean> {
  const { method } = operations['v3.deleteChat']
  const url = urlOf(address, pathOf('v3.deleteChat', id))
  try {
    const { 'content-type': _, ...rest } = headers
    const { statusCode, body } = await request(url, {
      method,
      headers: rest,
      dispatcher,
      signal,
    })
    await body.dump()
    return statusCode < 300 || statusCode === 404
  } catch {
    return false
  }
}

/** Requests in flight while chats are created or deleted. */
const concurrency = 16
/** Time limit of the cleanup: a silent target is not waited for. */
const cleanupMs = 10_000
