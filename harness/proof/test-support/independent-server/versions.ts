import { type Chat, chatOf } from './chats.ts'
import { Refusal } from './http.ts'
import type { State, V2Chat } from './state.ts'

/** The v3 chat of this id. @throws Refusal with the right prefix where it is a v2 chat. */
export function chatFor(state: State, id: unknown): Chat {
  refuseV2Chat(state, id)
  return chatOf(state.chats, id)
}

/** @throws Refusal where a v3 route is called for a v2 chat. */
export function refuseV2Chat({ v2Chats }: State, id: unknown): void {
  if (typeof id === 'string' && v2Chats.has(id)) {
    throw new Refusal(421, 'this is a chat of version v2, not for /api/v3: go to /api/v2')
  }
}

/** The v2 chat of this id. @throws Refusal with the right prefix where it is a v3 chat. */
export function v2ChatFor({ v2Chats, chats }: State, id: unknown): V2Chat {
  if (typeof id === 'string' && chats.has(id)) {
    throw new Refusal(404, 'nothing of this id here; see /api/v3/chat')
  }
  const room = typeof id === 'string' ? v2Chats.get(id) : undefined
  if (room === undefined) throw new Refusal(404, 'there is no such room')
  return room
}
