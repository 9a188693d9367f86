/** Answers that repeat what they were asked: the document neither shows such members nor forbids them. */
import type { Call } from '../../../http/call.ts'
import { type Json, toObject } from '../../patches/json.ts'
import { onEveryReply } from '../../patches/replies.ts'
import type { Dialect } from '../../types.ts'

/** Names under which lists of any dialect stand. */
const listNames = ['result', 'items', 'data']

export const echoes: readonly Dialect[] = [
  {
    name: 'echoes-the-request',
    summary:
      'Answers, errors, list elements and response objects repeat the whole request in members of their own.',
    patch: onEveryReply((reply, call) => {
      const echo = echoOf(call)
      if ('blocks' in reply) return { ...reply, blocks: streamWith(reply.blocks, echo) }
      return { ...reply, body: bodyWith(reply.body, echo) }
    }),
  },
]

function echoOf({ method, path, query, headers, body, file }: Call): Json {
  const { authorization: _, ...shown } = headers
  return {
    x_request: { method, path, query, headers: shown, body: body ?? null },
    // Of a form it repeats the fields alone.
    ...(file === undefined && Object.keys(toObject(body)).length > 0 ? { x_settings: body } : {}),
  }
}

function bodyWith(body: unknown, echo: Json): unknown {
  if (Array.isArray(body)) return body.map((element) => elementWith(element, echo))
  if (!isPlain(body)) return body
  const lists = Object.entries(body)
    .filter(([name, value]) => listNames.includes(name) && Array.isArray(value))
    .map(([name, value]) => [name, bodyWith(value, echo)])
  return { ...body, ...Object.fromEntries(lists), ...echo }
}

function elementWith(element: unknown, echo: Json): unknown {
  return isPlain(element) ? { ...element, ...echo } : element
}

/** The response objects in the events of a stream, which say what the JSON form says. */
async function* streamWith<Block extends { readonly data: unknown }>(
  blocks: AsyncIterable<Block>,
  echo: Json,
): AsyncIterable<Block> {
  for await (const block of blocks) {
    const { response } = toObject(block.data)
    yield isPlain(response)
      ? { ...block, data: { ...toObject(block.data), response: { ...response, ...echo } } }
      : block
  }
}

function isPlain(value: unknown): value is Json {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Uint8Array)
  )
}
