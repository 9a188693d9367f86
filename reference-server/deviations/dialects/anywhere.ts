/** Where dialects take hold: all answers, all refusals, all JSON, whatever the route. */
import type { Call, Reply, ValueReply } from '../../http/call.ts'
import type { Refit } from '../../parts.ts'

export function everyReply(change: (reply: Reply, call: Call) => Reply): Refit {
  return (parts) => ({
    ...parts,
    outgoing: (call, reply) => change(parts.outgoing(call, reply), call),
  })
}

/** Answers in one piece that have content. */
export function everyBody(change: (reply: ValueReply, call: Call) => Reply): Refit {
  return everyReply((reply, call) =>
    'blocks' in reply || reply.body === undefined ? reply : change(reply, call),
  )
}

export function everyRefusal(change: (reply: ValueReply, call: Call) => Reply): Refit {
  return everyReply((reply, call) =>
    'blocks' in reply || reply.status < 400 ? reply : change(reply, call),
  )
}

/** Of both native surfaces, and of the knowledge bases. */
export function nativeRefusal(change: (reply: ValueReply, call: Call) => Reply): Refit {
  return everyRefusal((reply, call) =>
    call.path.startsWith('/api/openai') ? reply : change(reply, call),
  )
}

/** All texts of a JSON value are others. */
export function everyText(value: unknown, change: (text: string, name: string) => string): unknown {
  return texts(value, change, '')
}

function texts(
  value: unknown,
  change: (text: string, name: string) => string,
  name: string,
): unknown {
  if (typeof value === 'string') return change(value, name)
  if (Array.isArray(value)) return value.map((element) => texts(element, change, name))
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, texts(member, change, key)]),
  )
}
