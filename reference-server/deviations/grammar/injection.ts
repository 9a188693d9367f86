/** Applies an effect to the requests of one operation that meet some conditions. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { isDeepStrictEqual } from 'node:util'
import type { ResponseEvent } from '../../events/sequence.ts'
import { nameByPosition, unauthorized } from '../../http/admission.ts'
import type { Call, Reply } from '../../http/call.ts'
import type { ModelRequest, Turn } from '../../model/types.ts'
import type { Patch, Services } from '../../services.ts'
import type { Chat, StoredRun } from '../../store/types.ts'
import { type FaultyOperation, operationOf } from '../patches/requests.ts'
import { compose, onStore } from '../patches/services.ts'
import { type Circumstance, createHistory } from './history.ts'
import type { Condition } from './members.ts'

/** The services that an effect changes, for the affected requests only. */
export interface Seams {
  /** The key that is assumed for a wrong or missing `Authorization` header. */
  admits?(authorization: string | undefined, keys: readonly string[]): string | undefined
  /** The request before its handler sees it; may throw an ApiError. */
  incoming?(call: Call, circumstance: Circumstance): Call
  outgoing?(reply: Reply, circumstance: Circumstance): Reply
  /** Side effect of an answered request; false if there was none. */
  afterwards?(services: Services, reply: Reply, circumstance: Circumstance): boolean
  /** `foreign` are the turns that the model last received in another chat. */
  model?(request: ModelRequest, foreign: readonly Turn[]): ModelRequest
  events?(events: readonly ResponseEvent[], circumstance: Circumstance): readonly ResponseEvent[]
  /** The turns that are stored instead of one, each with its chat. */
  stores?(chatId: string, run: StoredRun, other: string | undefined): readonly [string, StoredRun][]
  /** A chat as the request reads it. */
  finds?(chat: Chat): Chat
  /** True to search the documents of all bases. */
  readonly searchesAll?: boolean
}

/** Marks follow the name of a caller with a wrong key until the conditions are known: one of each fault that admits it. */
let marks = 0
const anyMarks = /\0.*$/

export function isMarked({ caller }: Pick<Call, 'caller'>): boolean {
  return anyMarks.test(caller)
}

/** @param onReached is called for each request, turn or chat that the effect changed */
export function inject(
  operation: FaultyOperation,
  conditions: readonly Condition[],
  seams: Seams,
  onReached: () => void,
): Patch {
  return (services) => {
    const history = createHistory()
    const mark = `\0${++marks}\0`
    const current = new AsyncLocalStorage<Circumstance>()
    const affected = new WeakSet<Circumstance>()
    /** The request of the current async context, if it meets the conditions. */
    const now = () => {
      const circumstance = current.getStore()
      return circumstance && affected.has(circumstance) ? circumstance : undefined
    }
    /** Makes a request the current one. */
    const enter = (circumstance: Circumstance | undefined) => {
      if (circumstance === undefined) return undefined
      current.enterWith(circumstance)
      return now()
    }
    /** An effect that changes nothing does not count as reached. */
    const took = <T>(value: T, change: () => T | undefined): T => {
      try {
        const changed = change() ?? value
        if (changed !== value && !isSame(value, changed)) onReached()
        return changed
      } catch (error) {
        onReached()
        throw error
      }
    }

    return {
      ...services,
      ...(seams.admits && { authenticate: admitting(services, operation, seams.admits, mark) }),
      incoming: (sent) => {
        const given = services.incoming(sent)
        const name = given.caller.replace(anyMarks, '')
        const isAdmitted = given.caller.includes(mark)
        const begun = history.begin({ ...given, caller: isAdmitted ? name + mark : name })
        if (begun?.operation === operation && conditions.every(({ holds }) => holds(begun)))
          affected.add(begun)
        const circumstance = enter(begun)
        if (circumstance === undefined) {
          const call = { ...given, caller: given.caller.replace(mark, '') }
          if (isAdmitted && !isMarked(call)) throw unauthorized(call.headers.authorization)
          return call
        }
        if (isAdmitted) onReached()
        const admitted = isAdmitted ? { ...given, caller: name } : given
        return took(admitted, () => seams.incoming?.(admitted, circumstance))
      },
      outgoing: (call, reply) => {
        const original = services.outgoing(call, reply)
        // The events of a stream are generated while it is written, after the handler has returned.
        const circumstance = enter(history.end(call, original))
        if (circumstance === undefined) return original
        if (seams.afterwards?.(services, original, circumstance)) onReached()
        return took(original, () => seams.outgoing?.(original, circumstance))
      },
      ...(seams.model && {
        model: (request: ModelRequest) => {
          const foreign = history.hear(current.getStore(), request.turns)
          const change = () => (now() ? seams.model?.(request, foreign) : undefined)
          return services.model(took(request, change))
        },
      }),
      ...(seams.events && {
        events: (run) => {
          const original = services.events(run)
          const circumstance = now()
          if (circumstance === undefined) return original
          const all: readonly ResponseEvent[] = [...original]
          return took(all, () => seams.events?.(all, circumstance)).map(
            (event, sequence_number) => ({ ...event, sequence_number }),
          )
        },
      }),
      ...((seams.stores || seams.finds || seams.searchesAll) && {
        store: storeWith(services, seams, () => now() !== undefined, onReached),
      }),
    }
  }
}

/** Admits a wrong key to the operation until `incoming` knows the conditions. */
function admitting(
  { authenticate, keys }: Services,
  operation: FaultyOperation,
  admits: NonNullable<Seams['admits']>,
  mark: string,
): Services['authenticate'] {
  return (authorization, request) => {
    const caller = authenticate(authorization, request)
    if (caller !== undefined && !isMarked({ caller })) return caller
    const key = operationOf(request) === operation ? admits(authorization, keys) : undefined
    return key === undefined ? caller : (caller ?? nameByPosition(key, keys.indexOf(key))) + mark
  }
}

/** Streams are changed block by block, so an edited one is never identical. */
function isSame(a: unknown, b: unknown): boolean {
  const streams = [a, b].filter((value) => 'blocks' in Object(value))
  return streams.length === 0 && isDeepStrictEqual(a, b)
}

function storeWith(
  services: Services,
  { stores, finds, searchesAll }: Seams,
  isAffected: () => boolean,
  onReached: () => void,
): Services['store'] {
  let last: string | undefined
  let other: string | undefined
  const patches: readonly Patch[] = [
    onStore('history', ({ append }) => ({
      append: async (chatId, run, turn) => {
        if (last !== chatId) other = last
        last = chatId
        const changed = isAffected() ? stores?.(chatId, run, other) : undefined
        if (changed) onReached()
        for (const [at, [chat, stored]] of (changed ?? [[chatId, run] as const]).entries())
          await append(chat, stored, at === 0 ? turn : undefined)
      },
    })),
    onStore('chats', ({ find }) => ({
      find: async (owner, id) => {
        const chat = await find(owner, id)
        if (chat === undefined || finds === undefined || !isAffected()) return chat
        onReached()
        return finds(chat)
      },
    })),
    onStore('knowledge', ({ documents, bases }) => ({
      documents: async (owner, base) => {
        if (!searchesAll || !isAffected()) return documents(owner, base)
        onReached()
        const { rows } = await bases(owner, { limit: 1000 })
        return (await Promise.all(rows.map(({ id }) => documents(owner, id)))).flat()
      },
    })),
  ]
  return compose(patches)(services).store
}
