import { type Chat, chatOf } from './chats.ts'
import { Refusal } from './http.ts'
import type { Room, World } from './state.ts'

/** The v3 chat of this id. @throws Refusal with the right prefix where it is a v2 chat. */
export function chatFor(world: World, id: unknown): Chat {
  refuseRoom(world, id)
  return chatOf(world.chats, id)
}

/** @throws Refusal where a v3 route is called for a v2 chat. */
export function refuseRoom({ rooms }: World, id: unknown): void {
  if (typeof id === 'string' && rooms.has(id)) {
    throw new Refusal(421, 'this is a chat of version v2, not for /api/v3: go to /api/v2')
  }
}

/** The v2 chat of this id. @throws Refusal with the right prefix where it is a v3 chat. */
export function roomFor({ rooms, chats }: World, id: unknown): Room {
  if (typeof id === 'string' && chats.has(id)) {
    throw new Refusal(404, 'nothing of this id here; see /api/v3/chat')
  }
  const room = typeof id === 'string' ? rooms.get(id) : undefined
  if (room === undefined) throw new Refusal(404, 'there is no such room')
  return room
}
