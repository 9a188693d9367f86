/** The store of a server that forgets everything when it ends. */
import { memoryAttachments } from './memory-attachments.ts'
import { memoryChats } from './memory-chats.ts'
import { memoryHistory } from './memory-history.ts'
import { type IdempotencyLimits, memoryIdempotency } from './memory-idempotency.ts'
import { memoryKnowledge, type SeededBase } from './memory-knowledge.ts'
import { memoryMessages } from './memory-messages.ts'
import type { Store } from './types.ts'

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
  }
}
