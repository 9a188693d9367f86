import type { Json } from './http.ts'

interface Row {
  readonly position: number
  readonly item: Json
  /** Milliseconds; a row is listed only after the replication delay. */
  readonly storedAt: number
}

/** A message and its request, whose members a reply needs. */
export interface StoredMessage {
  readonly record: {
    readonly id: string
    readonly chat_id: string
    readonly model_id: unknown
    readonly role: 'user' | 'assistant'
    readonly content: string
    readonly created_at: string
  }
  readonly request: Json
}

export interface TurnResult {
  readonly response: Json
  readonly events: readonly StreamEvent[]
}

export interface StreamEvent {
  readonly name: string
  readonly data: Json
}

export type Chat = ReturnType<typeof createChat>

export interface StoredFile {
  readonly record: Json & { readonly id: string; readonly filename: string }
  readonly chat: string | undefined
}

export interface User {
  readonly chats: Map<string, Chat>
  readonly files: StoredFile[]
}

export interface KnowledgeBase {
  readonly id: string
  readonly title: string
  readonly documents: { readonly id: string; readonly text: string }[]
}

export interface State {
  readonly users: ReadonlyMap<string, User>
  readonly bases: ReadonlyMap<string, KnowledgeBase>
  count: number
}

export const assistants = {
  withKnowledge: '0d7b7f52-9c1e-7aa0-8f43-5be1a8f0c911',
  withoutKnowledge: '0d7b7f52-9c1e-7aa0-8f43-5be1a8f0c922',
}

const expected = 'VERMILION-77'

/** Milliseconds until a stored row is listed and a deletion takes effect. */
export const replicationMs = 25

export function createState(keys: readonly string[]): State {
  const users = new Map(keys.map((key) => [key, { chats: new Map(), files: [] }]))
  const bases = [
    base('b-1', 'Harbour rules', `The storm lantern of pier nine is painted ${expected}.`),
    base('b-2', 'Kitchen rules', 'The kettle of the canteen is never left to boil dry.'),
  ]
  return { users, bases: new Map(bases.map((base) => [base.id, base])), count: 0 }
}

function base(id: string, title: string, text: string): KnowledgeBase {
  return { id, title, documents: [{ id: `${id}-d0`, text }] }
}

/** @param origin the creation request, echoed in every list element */
export function createChat(version: 'v2' | 'v3', id: string, name: string, origin: Json) {
  return {
    ...{ id, version, name, origin, favorite: false, deleted: false, createdAt: Date.now() },
    rows: [] as Row[],
    messages: [] as StoredMessage[],
    runs: new Map<string, { readonly parent: string; readonly texts: readonly string[] }>(),
    /** Finished and running turns, by their Idempotency-Key. */
    turns: new Map<string, Promise<TurnResult>>(),
  }
}

export interface Turn {
  readonly body: Json
  readonly stream: boolean
  readonly think: boolean
  readonly rag: unknown
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

/** Behavior that a test can break; everything in `legal` complies with the document. */
export interface Rules {
  accepts(authorization: string | undefined, keys: readonly string[]): string | undefined
  readonly refusesBothLists: boolean
  /** A JSON answer before it is sent. */
  answers(body: Json): Json
  row(row: Json): Json
}

export const legal: Rules = {
  accepts: (authorization, keys) => {
    const [scheme = '', token, ...rest] = (authorization ?? '').split(' ')
    if (scheme.toLowerCase() !== 'bearer' || rest.length > 0) return undefined
    return keys.find((key) => key === token)
  },
  refusesBothLists: true,
  answers: (body) => body,
  row: (row) => row,
}
