/** The store of a server that forgets everything when it ends. */

import type { SeededBase, Store } from '../types.ts'
import { memoryAttachments } from './attachments.ts'
import { memoryChats } from './chats.ts'
import { memoryHistory } from './history.ts'
import { type IdempotencyLimits, memoryIdempotency } from './idempotency.ts'
import { memoryKnowledge } from './knowledge.ts'
import { memoryMessages } from './messages.ts'

export interface MemoryOptions extends Partial<IdempotencyLimits> {
  readonly bases?: readonly SeededBase[]
}

const day = 24 * 60 * 60 * 1000

export function memoryStore({ bases = [], ...limits }: MemoryOptions = {}): Store {
  const history = memoryHistory()
  const messages = memoryMessages()
  const attachments = memoryAttachments()
  return {
    history,
    messages,
    attachments,
    chats: memoryChats([history, messages, attachments]),
    knowledge: memoryKnowledge(bases),
    idempotency: memoryIdempotency({ lifeMs: day, keys: 100_000, ...limits }),
    durable: false,
    ready: async () => {},
    close: async () => {},
  }
}
