/** Legal variants of HTTP headers and bodies, and of their pace. */

import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { seededDraw } from '../../../runtime/random.ts'
import type { Patch } from '../../../services.ts'
import { escapeJson, rechunkAll } from '../../patches/framing.ts'
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

export const paces = dialectTable({
  'slow: Every response is delayed by 50 to 150 ms.': delayAnswers(100),
  'speaks-in-bursts: Tokens are sent in groups of ten.': (services) => ({
    ...services,
    timing: (count, pace) =>
      services.timing(count, { ...pace, ttftMs: 5, gapMs: 4 }).map((_due, at, all) => {
        return all[at - (at % 10)] ?? 0
      }),
  }),
  'heartbeats-while-it-works: A stream starts after 160 ms with a comment every 20 ms before its first event.':
    rechunkAll(async function* (chunks) {
      for (let beat = 0; beat < 8; beat += 1) {
        yield Buffer.from(beat % 2 === 0 ? ':\n' : ': still here\n\n')
        await sleep(20)
      }
      yield* chunks
    }),
  'connections-used-once: Every response has Connection: close.': onEveryReply((reply) => ({
    ...reply,
    headers: { ...reply.headers, connection: 'close' },
  })),
})

/** Delays every chunk of a response, as over a connection with high latency. */
export function delayAnswers(ms: number): Patch {
  const draw = seededDraw(1, 'latency')
  return (services) => ({
    ...services,
    bytes: (call, chunks) => delayChunks(services.bytes(call, chunks), ms * (0.5 + draw())),
  })
}

/** Maximum number of delayed chunks at a time; a response has fewer. */
const onTheWay = 10_000

async function* delayChunks(
  chunks: AsyncIterable<Uint8Array>,
  ms: number,
): AsyncGenerator<Uint8Array> {
  const afterwards = async (chunk: Uint8Array) => {
    await sleep(ms)
    return chunk
  }
  yield* Readable.from(chunks).map(afterwards, { concurrency: onTheWay })
}
