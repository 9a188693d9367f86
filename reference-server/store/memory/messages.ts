/** The v2 messages of each chat in memory: a tree, by the parent of each. */

import type { Message, MessageStore } from '../types.ts'
import type { ChatLife } from './chats.ts'

export function memoryMessages(): MessageStore & ChatLife {
  const chats = new Map<string, Map<string, Message>>()
  return {
    async append(message) {
      chats.get(message.chatId)?.set(message.id, message)
    },
    async find(chatId, id) {
      return chats.get(chatId)?.get(id)
    },
    async chain(chatId, id) {
      const existing = chats.get(chatId)
      const chain: Message[] = []
      for (let at = existing?.get(id); at !== undefined; at = existing?.get(at.parentId ?? '')) {
        chain.push(at)
      }
      return chain.toReversed()
    },
    open(chatId) {
      chats.set(chatId, new Map())
    },
    drop(chatId) {
      chats.delete(chatId)
    },
  }
}
