/** Where deviations take hold, in words: each helper makes a refit that changes one thing. */
import type { SseBlock } from '../events/sse.ts'
import type { Call, Reply, StreamReply, ValueReply } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'
import type { Generation, Model, ModelRequest } from '../model/types.ts'
import type { Parts, Refit } from '../parts.ts'
import type { HistoryStore, IdempotencyLedger } from '../store/types.ts'
import { put } from './json-edit.ts'

/** Method and path, with `:name` for an id: `GET /api/v3/chat/:chat_id`. */
export type Place = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /api/${string}`

export const completions: Place = 'POST /api/openai/chat/completions'
export const modelList: Place = 'GET /api/openai/models'
export const oneModel: Place = 'GET /api/openai/models/[^/]+'
export const newChat: Place = 'POST /api/v3/chat'
export const history: Place = 'GET /api/v3/message'
export const generation: Place = 'POST /api/v3/message/generate'

export type Json = Readonly<Record<string, unknown>>

export function isAt(
  place: Place,
  { method, path }: { readonly method: string; readonly path: string },
): boolean {
  const pattern = place.replaceAll(/:\w+/g, '[0-9a-fA-F-]{36}')
  return new RegExp(`^${pattern}/?$`).test(`${method} ${path}`)
}

/** Requests as the handlers see them. */
export function onRequest(place: Place, change: (call: Call) => Call): Refit {
  return (parts) => ({
    ...parts,
    incoming: (call) => {
      const seen = parts.incoming(call)
      return isAt(place, seen) ? change(seen) : seen
    },
  })
}

/** The JSON objects that requests bring. */
export function onSent(place: Place, change: (body: Json, call: Call) => Json): Refit {
  return onRequest(place, (call) => ({ ...call, body: change(objectOf(call.body), call) }))
}

/** The handlers see a member of the body only if it fits; otherwise it is as if it were this. */
export function overlooks(
  place: Place,
  path: string,
  fits: (value: unknown) => boolean,
  otherwise?: unknown,
): Refit {
  return onSent(place, (body) =>
    put(body, path, (value: unknown) => (fits(value) ? value : otherwise)),
  )
}

/** Requests that should be answered are refused. */
export function refusesRequests(
  place: Place,
  when: (body: Json, call: Call) => boolean,
  status = 400,
  message = 'Not like this',
): Refit {
  return onRequest(place, (call) => {
    if (when(objectOf(call.body), call)) throw new ApiError(status, message)
    return call
  })
}

export function onReply(place: Place, change: (reply: Reply, call: Call) => Reply): Refit {
  return (parts) => ({
    ...parts,
    outgoing: (call, reply) => {
      const usual = parts.outgoing(call, reply)
      return isAt(place, call) ? change(usual, call) : usual
    },
  })
}

/** Successes in one piece. */
export function onSuccess(
  place: Place,
  change: (reply: ValueReply, call: Call) => Reply,
  when: (body: Json, call: Call) => boolean = () => true,
): Refit {
  return onReply(place, (reply, call) =>
    'blocks' in reply || reply.status >= 300 || !when(objectOf(reply.body), call)
      ? reply
      : change(reply, call),
  )
}

/** What a success in one piece says. */
export function onAnswer(place: Place, change: (body: Json, call: Call) => unknown): Refit {
  return onSuccess(place, (reply, call) => ({
    ...reply,
    body: change(objectOf(reply.body), call),
  }))
}

/** In every success in one piece, what stands at a path is another; see `put`. */
export function shows(place: Place, path: string, to: unknown): Refit {
  return onAnswer(place, (body) => put(body, path, to))
}

export function onRefusal(
  place: Place,
  change: (reply: ValueReply, call: Call) => Reply,
  when: (call: Call) => boolean = () => true,
): Refit {
  return onReply(place, (reply, call) =>
    'blocks' in reply || reply.status < 400 || !when(call) ? reply : change(reply, call),
  )
}

/** The blocks of streamed answers on their way. */
export function onBlocks(
  place: Place,
  change: (blocks: AsyncIterable<SseBlock>, call: Call) => AsyncIterable<SseBlock>,
  headers: StreamReply['headers'] = {},
): Refit {
  return onReply(place, (reply, call) =>
    'blocks' in reply
      ? { ...reply, headers: { ...reply.headers, ...headers }, blocks: change(reply.blocks, call) }
      : reply,
  )
}

/** Each block of a streamed answer becomes several, one, or none; `at` counts from 0. */
export function onEachBlock(
  place: Place,
  change: (data: Json, at: number, call: Call) => readonly Json[],
): Refit {
  return onBlocks(place, async function* (blocks, call) {
    let at = 0
    for await (const block of blocks) {
      if (block.data === '[DONE]') yield block
      else for (const data of change(objectOf(block.data), at, call)) yield { ...block, data }
      at += 1
    }
  })
}

/** What the model is told or what it says, on the compatible surface or on the native ones. */
export function onModel(
  surface: 'compatible' | 'native',
  change: (model: Model, request: ModelRequest) => Generation,
): Refit {
  const toolsRunBy = surface === 'compatible' ? 'client' : 'service'
  return (parts) => ({
    ...parts,
    model: (request) =>
      request.toolsRunBy === toolsRunBy ? change(parts.model, request) : parts.model(request),
  })
}

/** A deviation that remembers: what it remembers begins anew with each server. */
export function remembering(make: () => Refit): Refit {
  return (parts) => make()(parts)
}

export function onHistory(
  change: (usual: HistoryStore, parts: Parts) => Partial<HistoryStore>,
): Refit {
  return (parts) => {
    const usual = parts.store.history
    return {
      ...parts,
      store: { ...parts.store, history: { ...usual, ...change(usual, parts) } },
    }
  }
}

export function onLedger(
  change: (usual: IdempotencyLedger, parts: Parts) => Partial<IdempotencyLedger>,
): Refit {
  return (parts) => {
    const usual = parts.store.ledger
    return {
      ...parts,
      store: { ...parts.store, ledger: { ...usual, ...change(usual, parts) } },
    }
  }
}

export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}

export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(objectOf) : []
}
