/** Deviations of the native surfaces, in words: their routes, who is let in, what is remembered. */
import type { Call, Reply } from '../http/call.ts'
import type { Parts, Refit } from '../parts.ts'
import type { Store } from '../store/types.ts'
import { put } from './json-edit.ts'
import { onReply, onRequest, onSent, onSuccess, type Place } from './seams.ts'

export const message: Place = 'POST /api/v2/message'
export const answering: Place = 'POST /api/v2/message/generate'
export const oneShot: Place = 'POST /api/v3/message/one-shot'
export const chatList: Place = 'GET /api/v3/chat'
export const favoriteList: Place = 'GET /api/v3/chat/favorite'
export const readChat: Place = 'GET /api/v3/chat/:chat_id'
export const changeChat: Place = 'PATCH /api/v3/chat/:chat_id'
export const deleteChat: Place = 'DELETE /api/v3/chat/:chat_id'
export const nameChat: Place = 'POST /api/v3/chat/:chat_id/generate-name'
export const addFavorite: Place = 'POST /api/v3/chat/:chat_id/favorite'
export const removeFavorite: Place = 'DELETE /api/v3/chat/:chat_id/favorite'
export const chatFiles: Place = 'GET /api/v3/chat/:chat_id/attachments'
export const upload: Place = 'POST /api/v3/attachment'
export const fileList: Place = 'GET /api/v3/attachment'

export const mainModel = 'svc-main-model'
export const mainAlias = 'SVC-Main'
export const visionModel = 'SVC-Vision'

/** One room of the store works otherwise in some of its methods. */
export function onStore<Room extends keyof Store>(
  room: Room,
  change: (usual: Store[Room], parts: Parts) => Partial<Store[Room]>,
): Refit {
  return (parts) => {
    const usual = parts.store[room]
    return {
      ...parts,
      store: { ...parts.store, [room]: { ...usual, ...change(usual, parts) } },
    }
  }
}

/** Something happens besides when a request is answered; the answer is as ever. */
export function besides(
  place: Place,
  act: (parts: Parts, call: Call, reply: Reply) => Promise<unknown> | undefined,
): Refit {
  return (parts) =>
    onReply(place, (reply, call) => {
      void act(parts, call, reply)
      return reply
    })(parts)
}

/** Where a chat is accepted, the answer is a refusal; chats of the other version are refused as ever. */
export function deniesSuccess(place: Place, status: number): Refit {
  return onSuccess(place, () => ({ status, body: { error: 'Not possible' } }))
}

/** A parameter of the query is as if it had not been sent. */
export function overlooksQuery(place: Place, name: string): Refit {
  return onRequest(place, (call) => ({ ...call, query: put(call.query, name, undefined) }))
}

/** An object in a member of the body is taken for what it holds. */
export function unwraps(place: Place, path: string, inner: string): Refit {
  return onSent(place, (body) => {
    const value = body[path]
    return isObject(value) ? { ...body, [path]: value[inner] } : body
  })
}

export function isThere(value: unknown): boolean {
  return value !== undefined && value !== null
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}
