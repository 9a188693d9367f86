import { bodyText, type Exchange, requestPath, succeeded } from '../../../contract/index.ts'

/**
 * The chat of a request. A run deletes its chats, so commands before the request make another one: the creation, what
 * the run changed in the chat until then, files that it names, and pages that were read for their cursors.
 */
export type ChatOfRequest = readonly Step[]

interface Step {
  readonly exchange: Exchange
  /** The id in its response that later requests name: of the chat, a parent or a file, or a cursor. */
  readonly made: MadeId | null
  /** True if the request itself needs it, not only what it shows: a parent, a file, a page, the last change before a read. */
  readonly isNeeded: boolean
}

/** An id in a response: the `nth` field of that name, from 1; it is in `variable` of the shell. */
interface MadeId {
  readonly id: string
  readonly member: string
  readonly nth: number
  readonly variable: string
}

/** Exchanges by id, in the order of the run. */
export interface Exchanges extends ReadonlyMap<string, Exchange> {
  /** Results folder with a script for each exchange that shows a violation. */
  readonly folder?: string | undefined
}

interface ChatIndex {
  /** The creations of chats by each id in their responses. */
  readonly creations: ReadonlyMap<string, Pick<MadeId, 'member'> & { readonly exchange: string }>
  /** Ids of the exchanges that name a chat, in the order of the run; of null: the uploads that name none. */
  readonly byChat: ReadonlyMap<string | null, readonly string[]>
}

const indexes = new WeakMap<Exchanges, ChatIndex>()

/** Finds the chat that a request names, and what the run did in it before; null if there is none. */
export function chatOf(exchange: Exchange, exchanges: Exchanges): ChatOfRequest | null {
  const id = chatIdIn(exchange)
  if (id === null) return null
  const { creations, byChat } = indexes.get(exchanges) ?? indexOf(exchanges)
  const creation = creations.get(id)
  const created = creation && exchanges.get(creation.exchange)
  if (!creation || !created) return null
  const inChat = byChat.get(id) ?? []
  const before = inChat.slice(0, Math.max(0, inChat.indexOf(exchange.id)))
  const uploads = byChat.get(null) ?? []
  const made = { id, member: creation.member, nth: 1, variable: 'CHAT' }
  return [
    { exchange: created, made, isNeeded: true },
    ...stepsBefore(exchange, [...uploads, ...before], exchanges),
  ]
}

function stepsBefore(
  request: Exchange,
  before: readonly string[],
  exchanges: Exchanges,
): readonly Step[] {
  // By each id, whether a needed step or the request names it.
  const named = new Map(namedIn(request).map((id) => [id, true]))
  let isUnread = request.request.method === 'GET'
  const steps: Step[] = []
  for (const id of before.toReversed()) {
    const exchange = exchanges.get(id)
    if (exchange === undefined || !succeeded(exchange)) continue
    const own = namedIn(exchange)
    const sought = [...named.keys()].filter((one) => !own.includes(one))
    const made = madeIn(exchange, sought)
    const isChange = exchange.request.method !== 'GET' && chatIdIn(exchange) !== null
    if (!isChange && made === null) continue
    const isNeeded = (isChange && isUnread) || named.get(made?.id ?? '') === true
    if (isChange) isUnread = false
    steps.push({ exchange, made, isNeeded })
    named.delete(made?.id ?? '')
    for (const one of own) named.set(one, isNeeded || named.get(one) === true)
  }
  return steps.toReversed()
}

/** Ids in a request that earlier responses gave: of a parent and of files, and the cursor of a page. */
function namedIn(exchange: Exchange): readonly string[] {
  const ids = sentText(exchange).matchAll(/"(?:parent_)?id":\s*"([\w-]{8,})"/g)
  const [, cursor = ''] = /[?&]cursor=([^&]{8,})/.exec(exchange.request.url) ?? []
  const all = [...[...ids].map(([, id = '']) => id), cursor.replaceAll('%3D', '=')]
  return all.filter((id) => /^[\w=-]+$/.test(id))
}

/** Histories show the ids of messages as well, but cursors are theirs alone. */
function madeIn(exchange: Exchange, needed: readonly string[]): MadeId | null {
  const text = bodyText(exchange)
  if (!needed.some((id) => text.includes(id))) return null
  const isRead = exchange.request.method === 'GET'
  const fields = [...text.matchAll(/"(\w+)": *"([^"]*)"/g)]
  const found = fields.find(
    ([, member, value = '']) => needed.includes(value) && (member === 'cursor') === isRead,
  )
  if (found === undefined) return null
  const [, member = '', id = ''] = found
  const same = fields.filter(([, name]) => name === member)
  const kind = isRead ? 'CURSOR' : isUpload(exchange) ? 'FILE' : 'PARENT'
  const variable = `${kind}_${exchange.id.replaceAll(/\W/g, '_')}`
  return { id, member, nth: same.indexOf(found) + 1, variable }
}

function isUpload(exchange: Exchange): boolean {
  return exchange.request.method === 'POST' && requestPath(exchange).endsWith('/attachment')
}

function indexOf(exchanges: Exchanges): ChatIndex {
  const creations = new Map<string, { exchange: string; member: string }>()
  const byChat = new Map<string | null, string[]>()
  for (const [id, exchange] of exchanges) {
    const chat = chatIdIn(exchange)
    if (chat !== null || isUpload(exchange)) byChat.set(chat, [...(byChat.get(chat) ?? []), id])
    if (exchange.request.method !== 'POST' || !succeeded(exchange)) continue
    if (!requestPath(exchange).endsWith('/chat')) continue
    const members = new Set<string>()
    for (const [, member = '', value = ''] of bodyText(exchange).matchAll(
      /"(\w+)":\s*"([^"]*)"/g,
    )) {
      const isFirst = !members.has(member)
      members.add(member)
      if (isFirst && /^[\w-]{8,}$/.test(value) && !creations.has(value))
        creations.set(value, { exchange: id, member })
    }
  }
  const index = { creations, byChat }
  indexes.set(exchanges, index)
  return index
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

/** The commands of the steps of a chat, with the ids that they make in variables, and that of the request. */
export function withChat(
  command: Command,
  chat: ChatOfRequest,
  commandOf: (exchange: Exchange) => Command,
): string {
  const ids = chat.flatMap(({ made }) => made ?? [])
  const own = ({ line, input }: Command) => ({
    line: line.replaceAll(words, (word) => ids.reduce(named, withOwnKey(word))),
    input,
  })
  return [
    ...chat.map(({ exchange, made }, at) => {
      const step = at === 0 ? commandOf(exchange) : own(commandOf(exchange))
      return made === null ? complete(step, ' > /dev/null') : captured(step, made)
    }),
    complete(own(command)),
  ].join('\n')
}

/** The recorded key belongs to a request to another chat; requests that share a key still do. */
function withOwnKey(word: string): string {
  const recorded =
    /(?<=^'idempotency-key: )[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{8}(?=[\da-f]{4}'$)/i
  return word.replace(recorded, () => `'"\${CHAT%????}"'`)
}

/** An id in the output of a command, as a variable. */
function captured(command: Command, { variable, member, nth }: MadeId): string {
  const found = ` | grep -o '"${member}": *"[^"]*"' | sed -n ${nth}p | cut -d '"' -f 4`
  return `${variable}=$(${complete(command, found)}${command.input === null ? '' : '\n'})`
}

/** Commands for sed that replace the ids in a body. */
export function editsOf(chat: ChatOfRequest): string {
  return chat.flatMap(({ made }) => (made ? [`s/${made.id}/$${made.variable}/g`] : [])).join(';')
}

/** Text in shell quotes, and between them. */
export const words = /\$'(?:[^'\\]|\\[\s\S])*'|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|[^'"$]+/g

/** Replaces an id only in a path, a query or a body field: an id that a target chose may look like a flag of curl. */
function named(word: string, { id, variable }: MadeId): string {
  if (word.startsWith('"')) return word
  const quote = /^\$?'/.exec(word)?.[0] ?? ''
  const written = `${id}|${encodeURIComponent(id)}`
  const place = new RegExp(`(?<=[/"]|chat_id=|cursor=)(?:${written})(?![\\w-])`, 'gi')
  return word.replaceAll(place, () => `${quote && "'"}"$${variable}"${quote}`)
}
