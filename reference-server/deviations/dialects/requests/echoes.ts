/** Responses that repeat the request: the document neither shows such members nor forbids them. */
import type { Call } from '../../../http/call.ts'
import { type Json, toObject } from '../../patches/json.ts'
import { onEveryReply } from '../../patches/replies.ts'
import { dialectTable } from '../../table.ts'

/** Names of the members that contain lists in any dialect. */
const listNames = ['result', 'items', 'data']

export const echoes = dialectTable({
  'echoes-the-request: Responses, errors, list elements and response objects repeat the request in additional members.':
    onEveryReply((reply, call) => {
      const echo = echoOf(call)
      if ('blocks' in reply) return { ...reply, blocks: streamWith(reply.blocks, echo) }
      return { ...reply, body: bodyWith(reply.body, echo) }
    }),
})

function echoOf({ method, path, query, headers, body, file }: Call): Json {
  const { authorization: _, ...publicHeaders } = headers
  return {
    x_request: { method, path, query, headers: publicHeaders, body: body ?? null },
    // For multipart requests, only x_request is added.
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

/** Adds the members to the response objects in events, as in the JSON form. */
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
