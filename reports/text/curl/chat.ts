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
  /** The last change of the chat before a request that reads it. */
  readonly changed: Exchange | null
}

/** Exchanges by id. Stored ones may be large, and say without being read which request they are of. */
export interface Exchanges extends ReadonlyMap<string, Exchange> {
  /** Method and URL. */
  requestLine?(id: string): string | undefined
  /** Results folder with a script for each exchange that shows a violation. */
  readonly folder?: string | undefined
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
  if (!creation || !created) return null
  const isReading = exchange.request.method === 'GET'
  const changed = isReading ? lastChange(id, exchanges, [created.id, exchange.id]) : null
  return { id, created, member: creation.member, changed }
}

function lastChange(
  chat: string,
  exchanges: Exchanges,
  [after, before]: readonly [string, string],
): Exchange | null {
  const ids = [...exchanges.keys()]
  for (const id of ids.slice(ids.indexOf(after) + 1, ids.indexOf(before)).toReversed()) {
    if (exchanges.requestLine?.(id)?.startsWith('GET ')) continue
    const exchange = exchanges.get(id)
    if (exchange === undefined || exchange.request.method === 'GET') continue
    if (succeeded(exchange) && chatIdIn(exchange) === chat) return exchange
  }
  return null
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
  const sent = Buffer.from(body ?? []).toString('utf8')
  const inBody = /"chat_id"(?::\s*"|\r\n\r\n)([^"\\\r]+)/.exec(sent)?.[1]
  // A recorded URL may be malformed.
  if (inBody !== undefined || !URL.canParse(url)) return inBody ?? null
  const inQuery = new URL(url).searchParams.get('chat_id')
  return inQuery ?? /\/chat\/([^/?]+)/.exec(requestPath(exchange))?.[1] ?? null
}

function isCreation(exchange: Exchange): boolean {
  const isPost = exchange.request.method === 'POST'
  return isPost && succeeded(exchange) && requestPath(exchange).endsWith('/chat')
}

/** A command line, and lines of its standard input. */
export interface Command {
  readonly line: string
  readonly input: string | null
}

/** The command with its output sent to another, and its input. */
export function complete({ line, input }: Command, more = ''): string {
  return `${line}${more}${input === null ? '' : `\n${input}`}`
}

/**
 * A command that creates such a chat, with its id in the variable CHAT, one that changes it, and the command of a
 * request to it.
 */
export function withChat(
  command: Command,
  { id, member, created, changed }: ChatOfRequest,
  commandOf: (exchange: Exchange) => Command,
): string {
  const quiet = ({ line, input }: Command) => ({ line: line.replace('curl -i', 'curl -s'), input })
  const found = `grep -o '"${member}": *"[^"]*"' | head -n 1 | cut -d '"' -f 4`
  // The recorded key belongs to a request to another chat.
  const key = /(?<=idempotency-key: )[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/i
  const own = ({ line, input }: Command) => ({
    line: line.replace(key, id).replaceAll(words, (word) => named(word, id)),
    input,
  })
  const creation = quiet(commandOf(created))
  const end = creation.input === null ? ')' : '\n)'
  return [
    `CHAT=$(${complete(creation, ` | ${found}`)}${end}`,
    ...(changed === null ? [] : [complete(own(quiet(commandOf(changed))), ' > /dev/null')]),
    complete(own(command)),
  ].join('\n')
}

/** Text in shell quotes, and between them. */
const words = /\$'(?:[^'\\]|\\[\s\S])*'|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|[^'"$]+/g

/** Replaces an id only in a path, a body field or a key: an id that a target chose may look like a flag of curl. */
function named(word: string, id: string): string {
  if (word.startsWith('"')) return word
  const quote = /^\$?'/.exec(word)?.[0] ?? ''
  const place = new RegExp(`(?<=[/"]|chat_id=|idempotency-key: )${id}(?![\\w-])`, 'gi')
  return word.replaceAll(place, () => `${quote && "'"}"$CHAT"${quote}`)
}
