/** Patches of answers before they are written, on one route or all. */

import type { SseBlock } from '../../events/sse.ts'
import type { Call, Reply, StreamReply, ValueReply } from '../../http/call.ts'
import type { Patch, Services } from '../../services.ts'

import { type Fields, type Json, setAll, toObject } from './json.ts'
import { matchesRoute, type RoutePattern } from './routes.ts'

export function onReply(route: RoutePattern, change: (reply: Reply, call: Call) => Reply): Patch {
  return onEveryReply((reply, call) => (matchesRoute(route, call) ? change(reply, call) : reply))
}

/** Patch of successful answers that are not streamed. */
export function onSuccess(
  route: RoutePattern,
  change: (reply: ValueReply, call: Call) => Reply,
): Patch {
  return onReply(route, (reply, call) =>
    'blocks' in reply || reply.status >= 300 ? reply : change(reply, call),
  )
}

/** Patch of the JSON body of successful answers that are not streamed. */
export function onSuccessBody(
  route: RoutePattern,
  change: (body: Json, call: Call) => unknown,
): Patch {
  return onSuccess(route, (reply, call) => ({
    ...reply,
    body: change(toObject(reply.body), call),
  }))
}

/** Sets fields of the body of successful answers that are not streamed; see `setAt`. */
export function setFields(route: RoutePattern, fields: Fields): Patch {
  return onSuccessBody(route, (body) => setAll(body, fields))
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

/** Side effect of a request; the answer stays unchanged. */
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

/** Patch of the blocks of streamed answers. */
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

/** Maps each block of a streamed answer to any number of blocks; `at` counts from 0. */
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

export function onEveryReply(change: (reply: Reply, call: Call) => Reply): Patch {
  return (services) => ({
    ...services,
    outgoing: (call, reply) => change(services.outgoing(call, reply), call),
  })
}

/** Answers with a body, other than streams. */
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

/** Errors of v2, v3 and the knowledge bases. */
export function onNativeError(change: (reply: ValueReply, call: Call) => Reply): Patch {
  return onEveryError((reply, call) =>
    call.path.startsWith('/api/openai') ? reply : change(reply, call),
  )
}
