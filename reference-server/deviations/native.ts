/** Deviations of the native surfaces, in words: their routes, who is let in, what is remembered. */
import type { Call, Reply } from '../http/call.ts'
import type { Patch, Services } from '../services.ts'
import type { Store } from '../store/types.ts'
import { setAt } from './json-edit.ts'
import { onReply, onRequest, onRequestBody, onSuccess, type RoutePattern } from './seams.ts'

export const storeMessage: RoutePattern = 'POST /api/v2/message'
export const v2Generate: RoutePattern = 'POST /api/v2/message/generate'
export const oneShot: RoutePattern = 'POST /api/v3/message/one-shot'
export const chatList: RoutePattern = 'GET /api/v3/chat'
export const favoriteList: RoutePattern = 'GET /api/v3/chat/favorite'
export const readChat: RoutePattern = 'GET /api/v3/chat/:chat_id'
export const changeChat: RoutePattern = 'PATCH /api/v3/chat/:chat_id'
export const deleteChat: RoutePattern = 'DELETE /api/v3/chat/:chat_id'
export const nameChat: RoutePattern = 'POST /api/v3/chat/:chat_id/generate-name'
export const addFavorite: RoutePattern = 'POST /api/v3/chat/:chat_id/favorite'
export const removeFavorite: RoutePattern = 'DELETE /api/v3/chat/:chat_id/favorite'
export const chatFiles: RoutePattern = 'GET /api/v3/chat/:chat_id/attachments'
export const upload: RoutePattern = 'POST /api/v3/attachment'
export const fileList: RoutePattern = 'GET /api/v3/attachment'

export const mainModel = 'svc-main-model'
export const mainAlias = 'SVC-Main'
export const visionModel = 'SVC-Vision'

/** One room of the store works otherwise in some of its methods. */
export function onStore<Room extends keyof Store>(
  room: Room,
  change: (original: Store[Room], services: Services) => Partial<Store[Room]>,
): Patch {
  return (services) => {
    const original = services.store[room]
    return {
      ...services,
      store: { ...services.store, [room]: { ...original, ...change(original, services) } },
    }
  }
}

/** Something happens besides when a request is answered; the answer is as ever. */
export function alsoDo(
  route: RoutePattern,
  act: (services: Services, call: Call, reply: Reply) => Promise<unknown> | undefined,
): Patch {
  return (services) =>
    onReply(route, (reply, call) => {
      void act(services, call, reply)
      return reply
    })(services)
}

/** Where a chat is accepted, the answer is a refusal; chats of the other version are refused as ever. */
export function failAfterSuccess(route: RoutePattern, status: number): Patch {
  return onSuccess(route, () => ({ status, body: { error: 'Not possible' } }))
}

/** A parameter of the query is as if it had not been sent. */
export function ignoreQuery(route: RoutePattern, name: string): Patch {
  return onRequest(route, (call) => ({ ...call, query: setAt(call.query, name, undefined) }))
}

/** An object in a member of the body is taken for what it holds. */
export function flattenField(route: RoutePattern, path: string, inner: string): Patch {
  return onRequestBody(route, (body) => {
    const value = body[path]
    return isObject(value) ? { ...body, [path]: value[inner] } : body
  })
}

export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}
