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

/** Exchanges of other scenarios may lie between a chat and its use. */
const maxBefore = 300

/** Exchanges by id. Stored ones may be large, and say without being read which request they are of. */
export interface Exchanges extends ReadonlyMap<string, Exchange> {
  /** Method and URL. */
  requestLine?(id: string): string | undefined
}

/** Finds the chat that a request names, and its creation among the exchanges before; null if there is none. */
export function chatOf(exchange: Exchange, exchanges: Exchanges): ChatOfRequest | null {
  const id = chatIdIn(exchange)
  if (id === null || !/^[\w-]{8,}$/.test(id)) return null
  const ids = [...exchanges.keys()]
  const end = ids.indexOf(exchange.id)
  for (const before of ids.slice(Math.max(0, end - maxBefore), Math.max(0, end)).reverse()) {
    const line = exchanges.requestLine?.(before)
    if (line !== undefined && !/^POST [^?]*\/chat(\?|$)/.test(line)) continue
    const created = exchanges.get(before)
    if (created === undefined || !isCreation(created)) continue
    const member = memberWith(id, bodyText(created))
    if (member !== null) return { id, created, member }
  }
  return null
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

function memberWith(id: string, json: string): string | null {
  const members = [...json.matchAll(/"(\w+)":\s*"([^"]*)"/g)]
  const name = members.find(([, , value]) => value === id)?.[1]
  return members.find(([, other]) => other === name)?.[2] === id ? (name ?? null) : null
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
