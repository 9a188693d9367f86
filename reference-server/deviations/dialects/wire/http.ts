/** Headers and bodies as HTTP lets them be. */
import type { Patch } from '../../../services.ts'
import { escapeJson } from '../../patches/framing.ts'
import { onEveryBody, onEveryReply } from '../../patches/replies.ts'
import type { Dialect } from '../../types.ts'
import { alternatives } from '../alternatives.ts'

export const httpDialects: readonly Dialect[] = [
  ...alternatives([
    {
      name: 'bodies-pretty-printed',
      summary: 'JSON bodies are pretty-printed, with an empty line at the end.',
      patch: serializeBodies((body) => `${JSON.stringify(body, null, 2)}\n\n`),
    },
    {
      name: 'bodies-escaped',
      summary: 'All that is not ASCII, and every slash, is escaped in JSON bodies.',
      patch: serializeBodies((body) => escapeJson(JSON.stringify(body))),
    },
  ]),
  {
    name: 'bodies-without-length',
    summary: 'JSON bodies are sent in chunks, without a content-length.',
    patch: onEveryBody((reply) => ({
      ...reply,
      headers: { ...reply.headers, 'transfer-encoding': 'chunked' },
    })),
  },
  ...alternatives([
    {
      name: 'media-types-with-charset',
      summary: 'Media types have a parameter.',
      patch: changeMediaTypes((type) => (type.includes(';') ? type : `${type};charset=utf-8`)),
    },
    {
      name: 'media-types-in-capitals',
      summary: 'Media types are written in capitals, with parameters.',
      patch: changeMediaTypes((type) => `${type.split(';')[0]?.toUpperCase()} ; Charset="UTF-8"`),
    },
  ]),
  {
    name: 'headers-of-a-proxy',
    summary: 'Headers are in capitals, and a proxy adds some of its own.',
    patch: onEveryReply((reply) => ({
      ...reply,
      headers: {
        ...Object.fromEntries(
          Object.entries(reply.headers ?? {}).map(([name, value]) => [name.toUpperCase(), value]),
        ),
        'CF-RAY': '8f1a-FRA',
        'Set-Cookie': 'lb=7; Path=/',
        'X-RateLimit-Remaining-Requests': '-1',
        'Retry-After': '0',
      },
    })),
  },
]

function serializeBodies(write: (body: unknown) => string): Patch {
  return onEveryBody((reply) =>
    reply.body instanceof Uint8Array ? reply : { ...reply, body: Buffer.from(write(reply.body)) },
  )
}

function changeMediaTypes(change: (type: string) => string): Patch {
  return onEveryReply((reply) => {
    const defaultType = 'blocks' in reply ? 'text/event-stream' : 'application/json'
    const { 'content-type': type = defaultType, ...headers } = reply.headers ?? {}
    const hasContent = 'blocks' in reply || reply.body !== undefined
    return hasContent ? { ...reply, headers: { ...headers, 'content-type': change(type) } } : reply
  })
}
