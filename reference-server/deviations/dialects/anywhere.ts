/** Where dialects take hold: all answers, all refusals, all JSON, whatever the route. */
import type { Call, Reply, ValueReply } from '../../http/call.ts'
import type { Patch } from '../../services.ts'

export function onEveryReply(change: (reply: Reply, call: Call) => Reply): Patch {
  return (services) => ({
    ...services,
    outgoing: (call, reply) => change(services.outgoing(call, reply), call),
  })
}

/** Answers in one piece that have content. */
export function onEveryBody(change: (reply: ValueReply, call: Call) => Reply): Patch {
  return onEveryReply((reply, call) =>
    'blocks' in reply || reply.body === undefined ? reply : change(reply, call),
  )
}

export function onEveryError(change: (reply: ValueReply, call: Call) => Reply): Patch {
  return onEveryReply((reply, call) =>
    'blocks' in reply || reply.status < 400 ? reply : change(reply, call),
  )
}

/** Of both native surfaces, and of the knowledge bases. */
export function onNativeError(change: (reply: ValueReply, call: Call) => Reply): Patch {
  return onEveryError((reply, call) =>
    call.path.startsWith('/api/openai') ? reply : change(reply, call),
  )
}

/** All texts of a JSON value are others. */
export function mapStrings(
  value: unknown,
  change: (text: string, name: string) => string,
): unknown {
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
