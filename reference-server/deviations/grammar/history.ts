/** A request with the earlier requests in its chat or, without a chat, of its caller. */
import { randomUUID } from 'node:crypto'
import type { Call, Reply } from '../../http/call.ts'
import type { Turn } from '../../model/types.ts'
import type { Patch } from '../../services.ts'
import { type Json, toList, toObject } from '../patches/json.ts'
import { type FaultyOperation, operationOf } from '../patches/requests.ts'

export interface Circumstance {
  readonly operation: FaultyOperation
  readonly call: Call
  /** The chat that the request names, otherwise its caller. */
  readonly place: string
  readonly body: Json
  readonly query: Json
  /** Text of the user: the last message, the name, the name of the file, or the text to search. */
  readonly text: string
  readonly earlier: readonly Past[]
  /** Number of running requests to the same operation in the same place. */
  readonly atOnce: number
}

/** An earlier request in the same place. */
export interface Past {
  readonly operation: FaultyOperation
  readonly body: Json
  readonly query: Json
  readonly isRefused: boolean
  /** The JSON answer of a success; undefined for a stream or a running request. */
  readonly answer: Json | undefined
}

/** A past request whose result is set when it is answered. */
type Passing = { -readonly [Member in keyof Past]: Past[Member] }

/** Watches the requests of a server without a fault; `onRefused` receives those without a valid key. */
export function watchRequests(
  onRequest: (circumstance: Circumstance) => void,
  onRefused: (call: Call) => void,
): Patch {
  return (services) => {
    const history = createHistory()
    return {
      ...services,
      incoming: (sent) => {
        const call = services.incoming(sent)
        const circumstance = history.begin(call)
        if (circumstance !== undefined) onRequest(circumstance)
        return call
      },
      outgoing: (call, reply) => {
        history.end(call, reply)
        if (call.caller === '') onRefused(call)
        return services.outgoing(call, reply)
      },
    }
  }
}

/** Requests and their answers, by place. */
export function createHistory() {
  const earlier = new Map<string, Passing[]>()
  const open = new Map<string, number>()
  const given: { readonly place: string; readonly turns: readonly Turn[] }[] = []
  const passing = new WeakMap<AbortSignal, { circumstance: Circumstance; past: Passing }>()

  return {
    /** Undefined for a path without an operation. */
    begin(call: Call): Circumstance | undefined {
      const operation = operationOf(call)
      if (operation === undefined) return undefined
      const [body, query] = [toObject(call.body), toObject(call.query)]
      const place = placeOf({ call, body, query })
      const all = earlier.get(place) ?? []
      const count = all.length
      const past: Passing = { operation, body, query, isRefused: false, answer: undefined }
      all.push(past)
      earlier.set(place, all)
      const atOnce = open.get(`${operation} ${place}`) ?? 0
      const text = textOf(call)
      const circumstance: Circumstance = {
        ...{ operation, call, place, body, query, text, atOnce },
        // A getter, because a caller has thousands of requests and each would keep its own list.
        get earlier() {
          return all.slice(0, count)
        },
      }
      open.set(`${operation} ${place}`, atOnce + 1)
      passing.set(call.signal, { circumstance, past })
      return circumstance
    },
    /** The circumstance of a request that is answered; undefined for a path without an operation. */
    end(call: Call, reply: Reply): Circumstance | undefined {
      const { circumstance, past } = passing.get(call.signal) ?? {}
      if (circumstance === undefined || past === undefined) return undefined
      past.isRefused = reply.status >= 400
      if (!past.isRefused && !('blocks' in reply)) past.answer = toObject(reply.body)
      const key = `${circumstance.operation} ${circumstance.place}`
      open.set(key, (open.get(key) ?? 1) - 1)
      return circumstance
    },
    /** The turns that the model last received in another place. */
    hear(circumstance: Circumstance | undefined, turns: readonly Turn[]): readonly Turn[] {
      // Completions have no chat: each is a separate conversation.
      const place = circumstance?.operation.startsWith('v') ? circumstance.place : randomUUID()
      const foreign = given.findLast((one) => one.place !== place)?.turns ?? []
      given.push({ place, turns })
      if (given.length > 100) given.shift()
      return foreign
    },
  }
}

function placeOf({ call, body, query }: Pick<Circumstance, 'call' | 'body' | 'query'>) {
  const [, inPath] = /\/chat\/([0-9a-f-]{36})/i.exec(call.path) ?? []
  return String(body['chat_id'] ?? query['chat_id'] ?? inPath ?? call.caller).toLowerCase()
}

/** The latest text of the user, in any form of a request. */
function textOf(call: Call): string {
  const [body, query] = [toObject(call.body), toObject(call.query)]
  const [message] = toList(body['messages']).slice(-1)
  const source = message?.['content'] ?? body['input'] ?? body['content'] ?? body['name']
  if (typeof source === 'string') return source
  if (source === undefined) {
    return String(call.file?.filename ?? query['search'] ?? query['q'] ?? body['query'] ?? '')
  }
  const parts = toList(source).flatMap((item) =>
    Array.isArray(item['content']) ? toList(item['content']) : [{ text: item['content'], ...item }],
  )
  return parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n')
}
