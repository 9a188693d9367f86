/** Chats in memory. */

import type { Chat, ChatStore } from '../types.ts'
import { type NewestFirst, nameHolds, newestFirst } from './newest-first.ts'

/** Data of a chat, created and deleted with it. */
export interface ChatLife {
  open(chatId: string): void
  drop(chatId: string): void
}

export function memoryChats(lives: readonly ChatLife[]): ChatStore {
  const owners = new Map<string, NewestFirst<Chat>>()
  return {
    async create(chat) {
      const own = owners.get(chat.owner) ?? newestFirst<Chat>()
      owners.set(chat.owner, own)
      own.set(chat.id, chat)
      for (const life of lives) life.open(chat.id)
    },
    async find(owner, id) {
      return owners.get(owner)?.get(id)
    },
    async list(owner, { version, favorite, search, ...page }) {
      const named = nameHolds(search)
      const matches = (chat: Chat) =>
        chat.version === version &&
        (favorite === undefined || chat.favorite === favorite) &&
        named(chat.name)
      return owners.get(owner)?.page(page, matches) ?? { rows: [], next: null }
    },
    async update(owner, id, change) {
      const own = owners.get(owner)
      const chat = own?.get(id)
      if (own === undefined || chat === undefined) return undefined
      const changed = { ...chat, ...change }
      own.set(id, changed)
      return changed
    },
    async delete(owner, id) {
      const deleted = owners.get(owner)?.delete(id) ?? false
      if (deleted) for (const life of lives) life.drop(id)
      return deleted
    },
  }
}
