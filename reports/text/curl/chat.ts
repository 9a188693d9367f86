import { bodyText, type Exchange, requestPath, succeeded } from '../../../contract/index.ts'

/**
 * The chat of a request. A run deletes its chats, so a command that repeats the request makes
 * another one first.
 */
export interface ChatOfRequest {
  readonly id: string
  /** The exchange that created it. */
  readonly created: Exchange
  /** Name of the field of its response with the id; the first of that name. */
  readonly member: string
}

/** Exchanges by id. Stored ones may be large, and say without being read which request they are of. */
export interface Exchanges extends ReadonlyMap<string, Exchange> {
  /** Method and URL. */
  requestLine?(id: string): string | undefined
}

type Creation = Pick<ChatOfRequest, 'member'> & { readonly exchange: string }

const creations = new WeakMap<Exchanges, ReadonlyMap<string, Creation>>()

/** Finds the chat that a request names, and its creation; null if there is none. */
export function chatOf(exchange: Exchange, exchanges: Exchanges): ChatOfRequest | null {
  const id = chatIdIn(exchange)
  if (id === null) return null
  const byChat = creations.get(exchanges) ?? creationsIn(exchanges)
  creations.set(exchanges, byChat)
  const creation = byChat.get(id)
  const created = creation && exchanges.get(creation.exchange)
  return creation && created ? { id, created, member: creation.member } : null
}

/** The creations of chats by each id in their responses. */
function creationsIn(exchanges: Exchanges): ReadonlyMap<string, Creation> {
  const found = new Map<string, Creation>()
  for (const id of exchanges.keys()) {
    const line = exchanges.requestLine?.(id)
    if (line !== undefined && !/^POST [^?]*\/chat(\?|$)/.test(line)) continue
    const created = exchanges.get(id)
    if (created === undefined || !isCreation(created)) continue
    const members = new Set<string>()
    for (const [, member = '', value = ''] of bodyText(created).matchAll(/"(\w+)":\s*"([^"]*)"/g)) {
      const isFirst = !members.has(member)
      members.add(member)
      if (isFirst && /^[\w-]{8,}$/.test(value) && !found.has(value))
        found.set(value, { exchange: id, member })
    }
  }
  return found
}

function chatIdIn(exchange: Exchange): string | null {
  const { body, url } = exchange.request
  const inBody = /"chat_id":\s*"([^"\\]+)"/.exec(Buffer.from(body ?? []).toString('utf8'))?.[1]
  // A recorded URL may be malformed.
  if (inBody !== undefined || !URL.canParse(url)) return inBody ?? null
  return /\/chat\/([^/?]+)/.exec(requestPath(exchange))?.[1] ?? null
}

function isCreation(exchange: Exchange): boolean {
  const isPost = exchange.request.method === 'POST'
  return isPost && succeeded(exchange) && requestPath(exchange).endsWith('/chat')
}

/** A command that creates such a chat, with its id in the variable CHAT, and the command of a request to it. */
export function withChat(command: string, { id, member }: ChatOfRequest, creation: string): string {
  const sent = creation.replace('curl -i', 'curl -s')
  const found = `grep -o '"${member}": *"[^"]*"' | head -n 1 | cut -d '"' -f 4`
  // The recorded key belongs to a request to another chat.
  const key = /(?<=idempotency-key: )[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/i
  const withKey = command.replace(key, id)
  return `CHAT=$(${sent} | ${found})\n${withKey.replaceAll(words, (word) => named(word, id))}`
}

/** Text in shell quotes, and between them. */
const words = /\$'(?:[^'\\]|\\[\s\S])*'|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|[^'"$]+/g

/** Replaces an id only in a path, a body field or a key: an id that a target chose may look like a flag of curl. */
function named(word: string, id: string): string {
  if (word.startsWith('"')) return word
  const quote = /^\$?'/.exec(word)?.[0] ?? ''
  const place = new RegExp(`(?<=[/"]|idempotency-key: )${id}(?![\\w-])`, 'gi')
  return word.replaceAll(place, () => `${quote && "'"}"$CHAT"${quote}`)
}
