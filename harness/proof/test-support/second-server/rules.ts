import type { Call, Refusal } from './http.ts'
import type { Json } from './json.ts'
import type { Chat, KnowledgeBase, StoredFile, StreamEvent } from './state.ts'

export type Check =
  | 'types'
  | 'both lists'
  | 'idempotency key'
  | 'assistant'
  | 'chat'
  | 'version'
  | 'parent'

export type ListKind = 'chats' | 'favorites' | 'files' | 'files of a chat' | 'history'

export interface Page<T> {
  readonly rows: readonly T[]
  /** Position of the next page in the whole list; undefined: there is none. */
  readonly next: number | undefined
}

export interface Turn {
  readonly surface: 'openai' | 'v2' | 'generate' | 'one-shot'
  readonly body: Json
  readonly stream: boolean
  readonly think: boolean
  readonly rag: unknown
  readonly assistant: unknown
  readonly model: string
  readonly maxTokens: number | undefined
  readonly stops: readonly string[]
  /** Texts that the model reads, oldest first; it answers the last one. */
  readonly texts: readonly string[]
  readonly images: number
  /** Tools that may be used. */
  readonly tools: readonly string[]
  /** Bases to search before the answer. */
  readonly bases: readonly KnowledgeBase[]
}

export interface Answer {
  readonly text: string
  readonly cut: boolean
  readonly tokens: number
  readonly reasoning: string | undefined
  readonly search: { readonly query: string; readonly found: readonly string[] } | undefined
  readonly toolCall: string | undefined
}

/** Everything in which a violation differs from the server; all members of `legal` keep the document. */
export interface Rules {
  accepts(
    authorization: string | undefined,
    keys: readonly string[],
    call: Call,
  ): string | undefined
  /** The body as the server reads it. */
  reads(call: Call, body: Json): Json
  /** The query as the server reads it. */
  readsQuery(call: Call): URLSearchParams
  /** A refusal that the document does not allow. */
  refuses(call: Call, body: Json): Refusal | undefined
  checks(check: Check, call: Call, body: Json): boolean
  /** Status and body of a refusal. */
  refusal(refusal: Refusal, call: Call): Refusal
  /** A JSON answer before it is sent. */
  answers(call: Call, body: Json): Json
  /** Runs when a request was answered, with the chat that it named. */
  afterwards(call: Call, chat: Chat | undefined, status: number): void
  turn(turn: Turn, chat: Chat | undefined): Turn
  answer(answer: Answer, turn: Turn): Answer
  output(items: readonly Json[], turn: Turn): readonly Json[]
  events(events: readonly StreamEvent[], turn: Turn): readonly StreamEvent[]
  chunks(chunks: readonly Json[], turn: Turn): readonly Json[]
  /** Items of a turn that its history keeps. */
  keeps(items: readonly Json[], turn: Turn): readonly Json[]
  row(row: Json): Json
  page<T>(kind: ListKind, list: readonly T[], from: number, limit: number): Page<T>
  listsChat(kind: ListKind, chat: Chat, call: Call): boolean
  listsFile(kind: ListKind, file: StoredFile, call: Call): boolean
  /** Tests if a key that was seen is known again. */
  remembers(key: string, keys: readonly string[], turn: Turn): boolean
  /** The key under which a turn is kept. */
  turnKey(key: string, body: Json): string
  storesOneShot(turn: Turn): boolean
  storesRefused(call: Call): boolean
  searched(base: KnowledgeBase, all: readonly KnowledgeBase[]): readonly KnowledgeBase[]
  storesUpload(call: Call): boolean
  readonly pageMax: Readonly<Record<ListKind, number>>
  readonly defaultLimit: number
}

export const legal: Rules = {
  accepts: (authorization, keys) => {
    const [scheme = '', token, ...rest] = (authorization ?? '').split(' ')
    if (scheme.toLowerCase() !== 'bearer' || rest.length > 0) return undefined
    return keys.find((key) => key === token)
  },
  reads: (_, body) => body,
  readsQuery: ({ query }) => query,
  refuses: () => undefined,
  checks: () => true,
  refusal: (refusal) => refusal,
  answers: (_, body) => body,
  afterwards: () => {},
  turn: (turn) => turn,
  answer: (answer) => answer,
  output: (items) => items,
  events: (events) => events,
  chunks: (chunks) => chunks,
  keeps: (items) => items,
  row: (row) => row,
  page: (_, list, from, limit) => {
    const next = from + limit
    return { rows: list.slice(from, next), next: next < list.length ? next : undefined }
  },
  listsChat: () => true,
  listsFile: () => true,
  remembers: () => true,
  turnKey: (key) => key,
  storesOneShot: () => false,
  storesRefused: () => false,
  searched: (base) => [base],
  storesUpload: () => true,
  pageMax: { chats: 7, favorites: 7, files: 7, 'files of a chat': 7, history: 60 },
  defaultLimit: 50,
}
