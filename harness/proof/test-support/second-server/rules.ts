import type { Call } from './http.ts'
import type { Json } from './json.ts'
import type { Chat, KnowledgeBase } from './state.ts'

export type ListKind = 'chats' | 'favorites' | 'files' | 'files of a chat' | 'history'

export interface Page<T> {
  readonly rows: readonly T[]
  /** Position of the next page in the whole list; undefined if there is none. */
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

/** Behavior that a violation can change; everything in `legal` complies with the document. */
export interface Rules {
  accepts(
    authorization: string | undefined,
    keys: readonly string[],
    call: Call,
  ): string | undefined
  readonly refusesBothLists: boolean
  /** A JSON answer before it is sent. */
  answers(body: Json): Json
  /** Called after a request was answered, with the chat that it named. */
  afterwards(call: Call, chat: Chat | undefined): void
  turn(turn: Turn): Turn
  row(row: Json): Json
  page<T>(kind: ListKind, list: readonly T[], from: number, limit: number): Page<T>
  readonly pageMax: Readonly<Record<ListKind, number>>
  readonly defaultLimit: number
}

export const legal: Rules = {
  accepts: (authorization, keys) => {
    const [scheme = '', token, ...rest] = (authorization ?? '').split(' ')
    if (scheme.toLowerCase() !== 'bearer' || rest.length > 0) return undefined
    return keys.find((key) => key === token)
  },
  refusesBothLists: true,
  answers: (body) => body,
  afterwards: () => {},
  turn: (turn) => turn,
  row: (row) => row,
  page: (_, list, from, limit) => {
    const next = from + limit
    return { rows: list.slice(from, next), next: next < list.length ? next : undefined }
  },
  pageMax: { chats: 7, favorites: 7, files: 7, 'files of a chat': 7, history: 60 },
  defaultLimit: 50,
}
