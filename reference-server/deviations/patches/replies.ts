/** Patches of answers before they are written. */
import type { SseBlock } from '../../events/sequence.ts'
import type { Call, Reply, StreamReply, ValueReply } from '../../http/call.ts'
import type { Patch, Services } from '../../services.ts'
import { type Fields, type Json, setAll, toList, toObject } from './json.ts'
import { chatIdOf, matches, type Where } from './requests.ts'

/** Edit of a reply, given its request or the circumstance of that. */
type Edit<Given> = (reply: Reply, given: Given) => Reply

type Blocks = StreamReply['blocks']

/** Edit of answers that are not streamed and that fit. */
function ofValues<Given>(
  fits: (reply: ValueReply) => boolean,
  change: (reply: ValueReply, given: Given) => Reply,
): Edit<Given> {
  return (reply, given) => ('blocks' in reply || !fits(reply) ? reply : change(reply, given))
}

/** Edit of the JSON body of successful answers that are not streamed. */
export function ofBody<Given>(change: (body: Json, given: Given) => unknown): Edit<Given> {
  return ofValues(isSuccess, (reply, given) => ({
    ...reply,
    body: change(toObject(reply.body), given),
  }))
}

export function ofErrors<Given>(change: (reply: ValueReply, given: Given) => Reply): Edit<Given> {
  return ofValues(({ status }) => status >= 400, change)
}

export function ofStream<Given>(change: (blocks: Blocks, given: Given) => Blocks): Edit<Given> {
  return (reply, given) =>
    'blocks' in reply ? { ...reply, blocks: change(reply.blocks, given) } : reply
}

/** Maps each block of a stream, except its end marker, to any number of blocks; `at` counts from 0. */
export function ofBlocks<Given>(
  change: (data: Json, at: number, given: Given) => readonly Json[],
): Edit<Given> {
  return ofStream(async function* (blocks, given) {
    let at = 0
    for await (const block of blocks) {
      if (block.data === '[DONE]') yield block
      else for (const data of change(toObject(block.data), at, given)) yield { ...block, data }
      at += 1
    }
  })
}

export function withHeaders<Kind extends Reply>(reply: Kind, headers: Reply['headers']): Kind {
  return { ...reply, headers: { ...reply.headers, ...headers } }
}

const isSuccess = ({ status }: ValueReply) => status < 300

export function onReply(where: Where, edit: Edit<Call>): Patch {
  return (services) => ({
    ...services,
    outgoing: (call, reply) => {
      const original = services.outgoing(call, reply)
      return matches(where, call) ? edit(original, call) : original
    },
  })
}

/** Patch of successful answers that are not streamed. */
export function onSuccess(where: Where, change: (reply: ValueReply, call: Call) => Reply): Patch {
  return onReply(where, ofValues(isSuccess, change))
}

/** Patch of the JSON body of successful answers that are not streamed. */
export function onSuccessBody(where: Where, change: (body: Json, call: Call) => unknown): Patch {
  return onReply(where, ofBody(change))
}

/** Sets fields of the body of successful answers that are not streamed; see `setAt`. */
export function setFields(where: Where, fields: Fields): Patch {
  return onSuccessBody(where, (body) => setAll(body, fields))
}

export function onError(where: Where, change: (reply: ValueReply, call: Call) => Reply): Patch {
  return onReply(where, ofErrors(change))
}

/** Answers with a body, other than streams. */
export function onBody(where: Where, change: (reply: ValueReply, call: Call) => Reply): Patch {
  return onReply(
    where,
    ofValues(({ body }) => body !== undefined, change),
  )
}

/** Side effect of a request; the answer stays unchanged. */
export function alsoDo(
  where: Where,
  act: (services: Services, call: Call, reply: Reply) => Promise<unknown> | undefined,
): Patch {
  return (services) =>
    onReply(where, (reply, call) => {
      void act(services, call, reply)
      return reply
    })(services)
}

/** Side effect of a successful request in its chat. */
export function afterSuccess(
  where: Where,
  act: (services: Services, call: Call, chat: string) => Promise<unknown> | undefined,
): Patch {
  return alsoDo(where, (services, call, { status }) =>
    status < 300 ? act(services, call, chatIdOf(call)) : undefined,
  )
}

/** Tests for the refusal of a chat of the other version. */
export function isOfOtherVersion(reply: Reply): reply is ValueReply {
  return reply.status === 409 && 'body' in reply && JSON.stringify(reply.body).includes('use /api/')
}

/** Sets fields in every chunk of a completion; see `setAt`. */
export function setInChunks(fields: Fields): Patch {
  return onEachBlock('openai.chat', (chunk) => [setAll(chunk, fields)])
}

export function textOf(chunk: Json): string {
  const text = toObject(toList(chunk['choices'])[0]?.['delta'])['content']
  return typeof text === 'string' ? text : ''
}

export function onBlocks(where: Where, change: (blocks: Blocks, call: Call) => Blocks): Patch {
  return onReply(where, ofStream(change))
}

/** A stream with an end marker after it. */
export async function* thenDone(blocks: Blocks): AsyncGenerator<SseBlock> {
  yield* blocks
  yield { data: '[DONE]' }
}

/** Maps each block of a streamed answer to any number of blocks; `at` counts from 0. */
export function onEachBlock(
  where: Where,
  change: (data: Json, at: number, call: Call) => readonly Json[],
): Patch {
  return onReply(where, ofBlocks(change))
}
