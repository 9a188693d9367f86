import type { Chats } from './chats.ts'
import type { Json, ServerEvent } from './hooks.ts'
import { type Shelf, stockedShelf } from './knowledge-base.ts'

/** All that one caller has; what another has is nowhere in it. */
export interface World {
  readonly chats: Chats
  /** By Idempotency-Key. */
  readonly turns: Map<string, Turn>
  readonly rooms: Map<string, Room>
  readonly files: StoredFile[]
  /** All that was ever said on the compatible surface. */
  readonly remembered: string[]
  readonly shelf: Shelf
}

/** A turn that came with an Idempotency-Key. */
export interface Turn {
  readonly streamed: boolean
  /** Undefined while it is under way. */
  response: Json | undefined
  events: readonly ServerEvent[]
}

/** A chat of version v2. */
export interface Room {
  readonly id: string
  readonly messages: Map<string, RoomMessage>
}

export interface RoomMessage {
  readonly id: string
  readonly parent: string | undefined
  readonly content: string
  readonly assistant: string | undefined
  readonly rag: unknown
}

export interface StoredFile {
  readonly number: number
  /** The chat that it joined. */
  readonly chat: string | undefined
  /** Section 2.4. */
  readonly record: Json
}

export function createWorld(): World {
  return {
    chats: new Map(),
    turns: new Map(),
    rooms: new Map(),
    files: [],
    remembered: [],
    shelf: stockedShelf(),
  }
}
