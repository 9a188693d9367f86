/** A chat as both native surfaces create and show it (section 2.5). */
import { type Clock, isoTime } from '../runtime/clock.ts'
import type { Ids } from '../runtime/ids.ts'
import type { Chat, ChatVersion } from '../store/types.ts'

export function chatRecord(chat: Chat): object {
  return {
    id: chat.id,
    name: chat.name,
    version: chat.version,
    is_favorite: chat.favorite,
    created_at: isoTime(chat.createdAt),
    updated_at: isoTime(chat.updatedAt),
  }
}

export function newChat(
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  owner: string,
  version: ChatVersion,
  name = 'New chat',
): Chat {
  const now = clock.now()
  return { id: ids.uuid(), owner, name, version, favorite: false, createdAt: now, updatedAt: now }
}
