/** Where deviations take hold, in words: each helper makes a refit that changes one thing. */
import type { SseBlock } from '../events/sse.ts'
import type { Call, Reply, StreamReply, ValueReply } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'
import type { Generation, Model, ModelRequest } from '../model/types.ts'
import type { Patch, Services } from '../services.ts'
import type { HistoryStore, IdempotencyStore } from '../store/types.ts'
import { setAt } from './json-edit.ts'

/** Method and path, with `:name` for an id: `GET /api/v3/chat/:chat_id`. */
export type RoutePattern = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /api/${string}`

export const completions: RoutePattern = 'POST /api/openai/chat/completions'
export const modelList: RoutePattern = 'GET /api/openai/models'
export const oneModel: RoutePattern = 'GET /api/openai/models/[^/]+'
export const createChat: RoutePattern = 'POST /api/v3/chat'
export const v3History: RoutePattern = 'GET /api/v3/message'
export const v3Generate: RoutePattern = 'POST /api/v3/message/generate'

export type Json = Readonly<Record<string, unknown>>

export function matchesRoute(
  route: RoutePattern,
  { method, path }: { readonly method: string; readonly path: string },
): boolean {
  const pattern = route.replaceAll(/:\w+/g, '[0-9a-fA-F-]{36}')
  return new RegExp(`^${pattern}/?$`).test(`${method} ${path}`)
}

/** Requests as the handlers see them. */
export function onRequest(route: RoutePattern, change: (call: Call) => Call): Patch {
  return (services) => ({
    ...services,
    incoming: (call) => {
      const seen = services.incoming(call)
      return matchesRoute(route, seen) ? change(seen) : seen
    },
  })
}

/** The JSON objects that requests bring. */
export function onRequestBody(
  route: RoutePattern,
  change: (body: Json, call: Call) => Json,
): Patch {
  return onRequest(route, (call) => ({ ...call, body: change(toObject(call.body), call) }))
}

/** The handlers see a member of the body only if it fits; otherwise it is as if it were this. */
export function ignoreField(
  route: RoutePattern,
  path: string,
  fits: (value: unknown) => boolean,
  otherwise?: unknown,
): Patch {
  return onRequestBody(route, (body) =>
    setAt(body, path, (value: unknown) => (fits(value) ? value : otherwise)),
  )
}

/** Requests that should be answered are refused. */
export function rejectRequests(
  route: RoutePattern,
  when: (body: Json, call: Call) => boolean,
  status = 400,
  message = 'Not like this',
): Patch {
  return onRequest(route, (call) => {
    if (when(toObject(call.body), call)) throw new ApiError(status, message)
    return call
  })
}

export function onReply(route: RoutePattern, change: (reply: Reply, call: Call) => Reply): Patch {
  return (services) => ({
    ...services,
    outgoing: (call, reply) => {
      const original = services.outgoing(call, reply)
      return matchesRoute(route, call) ? change(original, call) : original
    },
  })
}

/** Successes in one piece. */
export function onSuccess(
  route: RoutePattern,
  change: (reply: ValueReply, call: Call) => Reply,
  when: (body: Json, call: Call) => boolean = () => true,
): Patch {
  return onReply(route, (reply, call) =>
    'blocks' in reply || reply.status >= 300 || !when(toObject(reply.body), call)
      ? reply
      : change(reply, call),
  )
}

/** What a success in one piece says. */
export function onSuccessBody(
  route: RoutePattern,
  change: (body: Json, call: Call) => unknown,
): Patch {
  return onSuccess(route, (reply, call) => ({
    ...reply,
    body: change(toObject(reply.body), call),
  }))
}

/** In every success in one piece, what stands at a path is another; see `put`. */
export function setField(route: RoutePattern, path: string, to: unknown): Patch {
  return onSuccessBody(route, (body) => setAt(body, path, to))
}

export function onError(
  route: RoutePattern,
  change: (reply: ValueReply, call: Call) => Reply,
  when: (call: Call) => boolean = () => true,
): Patch {
  return onReply(route, (reply, call) =>
    'blocks' in reply || reply.status < 400 || !when(call) ? reply : change(reply, call),
  )
}

/** The blocks of streamed answers on their way. */
export function onBlocks(
  route: RoutePattern,
  change: (blocks: AsyncIterable<SseBlock>, call: Call) => AsyncIterable<SseBlock>,
  headers: StreamReply['headers'] = {},
): Patch {
  return onReply(route, (reply, call) =>
    'blocks' in reply
      ? { ...reply, headers: { ...reply.headers, ...headers }, blocks: change(reply.blocks, call) }
      : reply,
  )
}

/** Each block of a streamed answer becomes several, one, or none; `at` counts from 0. */
export function onEachBlock(
  route: RoutePattern,
  change: (data: Json, at: number, call: Call) => readonly Json[],
): Patch {
  return onBlocks(route, async function* (blocks, call) {
    let at = 0
    for await (const block of blocks) {
      if (block.data === '[DONE]') yield block
      else for (const data of change(toObject(block.data), at, call)) yield { ...block, data }
      at += 1
    }
  })
}

/** What the model is told or what it says, on the compatible surface or on the native ones. */
export function onModel(
  surface: 'compatible' | 'native',
  change: (model: Model, request: ModelRequest) => Generation,
): Patch {
  const toolsRunBy = surface === 'compatible' ? 'client' : 'service'
  return (services) => ({
    ...services,
    model: (request) =>
      request.toolsRunBy === toolsRunBy ? change(services.model, request) : services.model(request),
  })
}

/** A deviation that remembers: what it remembers begins anew with each server. */
export function perServer(make: () => Patch): Patch {
  return (services) => make()(services)
}

export function onHistory(
  change: (original: HistoryStore, services: Services) => Partial<HistoryStore>,
): Patch {
  return (services) => {
    const original = services.store.history
    return {
      ...services,
      store: { ...services.store, history: { ...original, ...change(original, services) } },
    }
  }
}

export function onIdempotency(
  change: (original: IdempotencyStore, services: Services) => Partial<IdempotencyStore>,
): Patch {
  return (services) => {
    const original = services.store.idempotency
    return {
      ...services,
      store: { ...services.store, idempotency: { ...original, ...change(original, services) } },
    }
  }
}

export function toObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}

export function toList(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(toObject) : []
}
