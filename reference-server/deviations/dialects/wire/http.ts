/** Legal variants of HTTP headers and bodies. */
import type { Patch } from '../../../services.ts'
import { escapeJson } from '../../patches/framing.ts'
import { onEveryBody, onEveryReply } from '../../patches/replies.ts'
import { alternatives, dialectTable } from '../../table.ts'
import type { Dialect } from '../../types.ts'

export const httpDialects: readonly Dialect[] = [
  ...dialectTable({
    'bodies-without-length: JSON bodies use chunked transfer coding without Content-Length.':
      onEveryBody((reply) => ({
        ...reply,
        headers: { ...reply.headers, 'transfer-encoding': 'chunked' },
      })),
    'headers-of-a-proxy: Header names are in upper case, and a proxy adds headers.': onEveryReply(
      (reply) => ({
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
      }),
    ),
  }),
  ...alternatives({
    'bodies-pretty-printed: JSON bodies are pretty-printed and end with an empty line.':
      serializeBodies((body) => `${JSON.stringify(body, null, 2)}\n\n`),
    'bodies-escaped: Non-ASCII characters and slashes are escaped in JSON bodies.': serializeBodies(
      (body) => escapeJson(JSON.stringify(body)),
    ),
  }),
  ...alternatives({
    'media-types-with-charset: Content-Type has a charset parameter.': changeMediaTypes((type) =>
      type.includes(';') ? type : `${type};charset=utf-8`,
    ),
    'media-types-in-capitals: Content-Type is in upper case with a quoted charset parameter.':
      changeMediaTypes((type) => `${type.split(';')[0]?.toUpperCase()} ; Charset="UTF-8"`),
  }),
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
