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
  /** The last change of the chat before a request that reads it; the one whose response has `parent`. */
  readonly changed: Exchange | null
  /** The message that the request follows. */
  readonly parent: Place | null
}

/** An id in a response: the `nth` field of that name, from 1. */
interface Place {
  readonly id: string
  readonly member: string
  readonly nth: number
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
  const parent = /"parent_id":\s*"([\w-]{8,})"/.exec(sentText(exchange))?.[1]
  const isReading = exchange.request.method === 'GET'
  const between = [created.id, exchange.id] as const
  const changed = isReading || parent ? lastChange(id, exchanges, between, parent) : null
  const place = parent && changed ? placeOf(parent, bodyText(changed)) : null
  return { id, created, member: creation.member, changed, parent: place }
}

function placeOf(id: string, text: string): Place | null {
  const fields = [...text.matchAll(/"(\w+)": *"([^"]*)"/g)]
  const member = fields.find(([, , value]) => value === id)?.[1]
  if (member === undefined) return null
  const own = fields.filter(([, name]) => name === member)
  return { id, member, nth: own.findIndex(([, , value]) => value === id) + 1 }
}

function lastChange(
  chat: string,
  exchanges: Exchanges,
  [after, before]: readonly [string, string],
  parent: string | undefined,
): Exchange | null {
  const ids = [...exchanges.keys()]
  for (const id of ids.slice(ids.indexOf(after) + 1, ids.indexOf(before)).toReversed()) {
    if (exchanges.requestLine?.(id)?.startsWith('GET ')) continue
    const exchange = exchanges.get(id)
    if (exchange === undefined || exchange.request.method === 'GET') continue
    const isParent = parent === undefined || bodyText(exchange).includes(`"${parent}"`)
    if (succeeded(exchange) && chatIdIn(exchange) === chat && isParent) return exchange
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
    if (created?.request.method !== 'POST' || !succeeded(created)) continue
    if (!requestPath(created).endsWith('/chat')) continue
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
  const { url } = exchange.request
  const inBody = /"chat_id"(?::\s*"|\r\n\r\n)([^"\\\r]+)/.exec(sentText(exchange))?.[1]
  // A recorded URL may be malformed.
  if (inBody !== undefined || !URL.canParse(url)) return inBody ?? null
  const inQuery = new URL(url).searchParams.get('chat_id')
  return inQuery ?? /\/chat\/([^/?]+)/.exec(requestPath(exchange))?.[1] ?? null
}

function sentText({ request }: Exchange): string {
  return Buffer.from(request.body ?? []).toString('utf8')
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
 * A command that creates such a chat, with its id in the variable CHAT, one that changes it, with the id of its message
 * in PARENT, and the command of a request to it.
 */
export function withChat(
  command: Command,
  { id, member, created, changed, parent }: ChatOfRequest,
  commandOf: (exchange: Exchange) => Command,
): string {
  const quiet = ({ line, input }: Command) => ({ line: line.replace('curl -i', 'curl -s'), input })
  // The recorded key belongs to a request to another chat.
  const key = /(?<=idempotency-key: )[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/i
  const own = ({ line, input }: Command) => ({
    line: line.replace(key, id).replaceAll(words, (word) => {
      const ofChat = named(word, id, 'CHAT')
      return parent === null ? ofChat : named(ofChat, parent.id, 'PARENT')
    }),
    input,
  })
  const change = changed === null ? null : own(quiet(commandOf(changed)))
  return [
    captured('CHAT', quiet(commandOf(created)), { id, member, nth: 1 }),
    ...(change === null
      ? []
      : [
          parent === null
            ? complete(change, ' > /dev/null')
            : captured('PARENT', withOtherKey(change), parent),
        ]),
    complete(own(command)),
  ].join('\n')
}

/** The key of the request that follows is the id of the chat. */
function withOtherKey({ line, input }: Command): Command {
  const key = /(?<=idempotency-key: '")\$CHAT(?=")/i
  return { line: line.replace(key, () => `\${CHAT%????}f00d`), input }
}

/** An id in the output of a command, as a variable. */
function captured(variable: string, command: Command, { member, nth }: Place): string {
  const found = ` | grep -o '"${member}": *"[^"]*"' | sed -n ${nth}p | cut -d '"' -f 4`
  return `${variable}=$(${complete(command, found)}${command.input === null ? '' : '\n'})`
}

/** Commands for sed that replace the ids in a body. */
export function editsOf({ id, parent }: ChatOfRequest): string {
  return [`s/${id}/$CHAT/g`, ...(parent === null ? [] : [`s/${parent.id}/$PARENT/g`])].join(';')
}

/** Text in shell quotes, and between them. */
const words = /\$'(?:[^'\\]|\\[\s\S])*'|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|[^'"$]+/g

/** Replaces an id only in a path, a body field or a key: an id that a target chose may look like a flag of curl. */
function named(word: string, id: string, variable: string): string {
  if (word.startsWith('"')) return word
  const quote = /^\$?'/.exec(word)?.[0] ?? ''
  const place = new RegExp(`(?<=[/"]|chat_id=|idempotency-key: )${id}(?![\\w-])`, 'gi')
  return word.replaceAll(place, () => `${quote && "'"}"$${variable}"${quote}`)
}
