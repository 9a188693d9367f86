import type { Chats } from './chats.ts'
import type { Json, ServerEvent } from './hooks.ts'
import { createKnowledgeBase, type KnowledgeBase } from './knowledge-base.ts'

/** All that one caller has; what another has is nowhere in it. */
export interface State {
  readonly chats: Chats
  /** Turns by Idempotency-Key. */
  readonly turns: Map<string, Turn>
  readonly v2Chats: Map<string, V2Chat>
  readonly files: StoredFile[]
  /** All that was ever said on the compatible surface. */
  readonly remembered: string[]
  readonly knowledgeBase: KnowledgeBase
}

/** A turn that came with an Idempotency-Key. */
export interface Turn {
  readonly streamed: boolean
  /** Undefined while it is under way. */
  response: Json | undefined
  events: readonly ServerEvent[]
}

/** A chat of version v2. */
export interface V2Chat {
  readonly id: string
  readonly messages: Map<string, V2Message>
}

export interface V2Message {
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

export function createState(): State {
  return {
    chats: new Map(),
    turns: new Map(),
    v2Chats: new Map(),
    files: [],
    remembered: [],
    knowledgeBase: createKnowledgeBase(),
  }
}
