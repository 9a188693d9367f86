import type { Json } from './http.ts'
import type { TurnResult } from './model.ts'

export type Chat = ReturnType<typeof createChat>
export type State = ReturnType<typeof createState>
export type User = ReturnType<typeof createUser>
export type KnowledgeBase = ReturnType<typeof createBase>

/** A message and its request, whose members a reply needs. */
export interface StoredMessage {
  readonly record: Json & { readonly id: string; readonly content: string }
  readonly request: Json
}

interface StoredFile {
  readonly record: Json & { readonly id: string; readonly filename: string }
  readonly chat: string | undefined
}

export const assistants = {
  withKnowledge: '0d7b7f52-9c1e-7aa0-8f43-5be1a8f0c911',
  withoutKnowledge: '0d7b7f52-9c1e-7aa0-8f43-5be1a8f0c922',
}

/** Milliseconds until a stored row is listed and a deletion takes effect. */
export const replicationMs = 25

export function createState(keys: readonly string[]) {
  const bases = [
    createBase('b-1', 'Harbour rules', 'The storm lantern of pier nine is painted VERMILION-77.'),
    createBase('b-2', 'Kitchen rules', 'The kettle of the canteen is never left to boil dry.'),
  ]
  return {
    users: new Map(keys.map((key) => [key, createUser()])),
    bases: new Map(bases.map((base) => [base.id, base])),
    count: 0,
  }
}

export function createUser() {
  return { chats: new Map<string, Chat>(), files: [] as StoredFile[] }
}

function createBase(id: string, title: string, text: string) {
  return { id, title, documents: [{ id: `${id}-d0`, text }] }
}

/** @param origin the creation request, echoed in every list element */
export function createChat(version: 'v2' | 'v3', id: string, name: string, origin: Json) {
  return {
    ...{ id, version, name, origin, favorite: false, deleted: false, createdAt: Date.now() },
    /** A row is listed only after the replication delay. */
    rows: [] as { readonly position: number; readonly item: Json; readonly storedAt: number }[],
    messages: [] as StoredMessage[],
    runs: new Map<string, { readonly parent: string; readonly texts: readonly string[] }>(),
    /** Finished and running turns, by their Idempotency-Key. */
    turns: new Map<string, Promise<TurnResult>>(),
  }
}

/** Behavior that a test can break; everything in `legal` complies with the document. */
export type Rules = typeof legal

export const legal = {
  accepts(authorization: string | undefined, keys: readonly string[]): string | undefined {
    const [scheme = '', token, ...rest] = (authorization ?? '').split(' ')
    if (scheme.toLowerCase() !== 'bearer' || rest.length > 0) return undefined
    return keys.find((key) => key === token)
  },
  refusesBothLists: true,
  /** A JSON answer before it is sent. */
  answers: (body: Json): Json => body,
  row: (row: Json): Json => row,
}
