/** Puts an effect on the requests of one operation that meet some conditions. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type OperationId, operationAt } from '../../../contract/operations.ts'
import type { ResponseEvent } from '../../events/sequence.ts'
import type { Call, Reply } from '../../http/call.ts'
import type { ModelRequest } from '../../model/types.ts'
import type { Patch } from '../../services.ts'
import { type Json, toObject } from '../patches/json.ts'
import type { Condition } from './conditions.ts'

/** The seams of the server that an effect changes, for the affected requests alone. */
export interface Effects {
  /** The request before its handler sees it; may throw an ApiError. */
  incoming?(call: Call): Call
  outgoing?(reply: Reply, call: Call): Reply
  model?(request: ModelRequest): ModelRequest
  events?(events: readonly ResponseEvent[]): readonly ResponseEvent[]
}

/**
 * Applies effects to the requests of an operation that meet all conditions. What came earlier counts by chat,
 * or by caller outside of chats.
 */
export function inject(
  operation: OperationId,
  conditions: readonly Condition[],
  effects: Effects,
  onReached: () => void,
): Patch {
  return (services) => {
    const affected = new AsyncLocalStorage<boolean>()
    const calls = new WeakSet<object>()
    const earlier = new Map<string, Json[]>()

    return {
      ...services,
      incoming: (sent) => {
        const call = services.incoming(sent)
        if (operationAt(call.method, call.path) !== operation) return call
        const body = toObject(call.body)
        const place = String(body['chat_id'] ?? call.caller)
        const before = earlier.get(place) ?? []
        const isAffected = conditions.every((condition) => condition.holds(call, before))
        earlier.set(place, [...before, body])
        affected.enterWith(isAffected)
        if (!isAffected) return call
        onReached()
        calls.add(call.signal)
        return effects.incoming?.(call) ?? call
      },
      outgoing: (call, reply) => {
        const original = services.outgoing(call, reply)
        if (!calls.has(call.signal)) return original
        return effects.outgoing?.(original, call) ?? original
      },
      model: (request) => {
        const { model } = effects
        return services.model(affected.getStore() && model ? model(request) : request)
      },
      events: (run) => {
        const original = services.events(run)
        if (!affected.getStore() || effects.events === undefined) return original
        return effects
          .events([...original])
          .map((event, sequence_number) => ({ ...event, sequence_number }))
      },
    }
  }
}
