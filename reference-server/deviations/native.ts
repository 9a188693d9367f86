/** Deviations of the native surfaces, in words: their routes, who is let in, what is remembered. */
import type { Authenticate } from '../http/auth.ts'
import type { Call, Reply } from '../http/call.ts'
import type { Parts, Refit } from '../parts.ts'
import type { Store } from '../store/types.ts'
import { put } from './json-edit.ts'
import { isAt, onRefusal, onReply, onRequest, onSent, type Place } from './seams.ts'

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

/** Refusals with one status are answered like a success. */
export function letsPass(place: Place, status: number, success: Reply): Refit {
  return onRefusal(place, (reply) => (reply.status === status ? success : reply))
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

/** Takes an authorization for that of a caller; `known` are those that were accepted before. */
export type Admission = (authorization: string | undefined, known: ReadonlySet<string>) => boolean

export const withoutKey: Admission = (authorization) => authorization === undefined
/** Our own keys begin with `sk-`. */
export const keysOfOtherMake: Admission = (authorization) =>
  /^Bearer (?!sk-)\S/.test(authorization ?? '')
export const basicScheme: Admission = (authorization) => /^Basic \S/.test(authorization ?? '')
export const cutKeys: Admission = (authorization = '', known) =>
  authorization.length > 12 && [...known].some((key) => key.startsWith(authorization))
export const longerKeys: Admission = (authorization = '', known) =>
  [...known].some((key) => authorization.startsWith(key))

/** At one place, requests get in that should not: as the first caller. */
export function letsIn(place: Place, admits: Admission): Refit {
  return onAuthentication((usual) => {
    const known = new Set<string>()
    return (authorization, request) => {
      const caller = usual(authorization, request)
      if (caller !== undefined && authorization !== undefined) known.add(authorization)
      if (caller !== undefined || !isAt(place, request)) return caller
      return admits(authorization, known) ? 'caller-1' : undefined
    }
  })
}

export function onAuthentication(change: (usual: Authenticate) => Authenticate): Refit {
  return (parts) => ({ ...parts, authenticate: change(parts.authenticate) })
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
