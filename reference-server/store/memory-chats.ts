/** Chats in memory. */
import type { Chat, ChatStore } from './types.ts'

/** What hangs on a chat comes and goes with it. */
export interface ChatLife {
  open(chatId: string): void
  drop(chatId: string): void
}

export function memoryChats(life: ChatLife): ChatStore {
  const owners = new Map<string, Map<string, Placed>>()
  let created = 0
  return {
    async create(chat) {
      created += 1
      const own = owners.get(chat.owner) ?? new Map<string, Placed>()
      owners.set(chat.owner, own.set(chat.id, { chat, position: created }))
      life.open(chat.id)
    },
    async find(owner, id) {
      return owners.get(owner)?.get(id)?.chat
    },
    async list(owner, { version, limit, before = Number.POSITIVE_INFINITY, search = '' }) {
      const wanted = search.toLowerCase()
      const rest = [...(owners.get(owner)?.values() ?? [])]
        .toReversed()
        .filter(({ position }) => position < before)
        .filter(({ chat }) => chat.version === version && chat.name.toLowerCase().includes(wanted))
      const rows = rest.slice(0, limit)
      return {
        rows: rows.map(({ chat }) => chat),
        next: rest.length > limit ? (rows.at(-1)?.position ?? null) : null,
      }
    },
    async delete(owner, id) {
      const deleted = owners.get(owner)?.delete(id) ?? false
      if (deleted) life.drop(id)
      return deleted
    },
  }
}

/** Positions only grow, so that a walk over the list is not shifted by what comes or goes. */
interface Placed {
  readonly chat: Chat
  readonly position: number
}
