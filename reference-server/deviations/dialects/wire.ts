/** Legal variants of HTTP, of the framing of event streams, their segments and their pace. */
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { seededDraw } from '../../runtime/random.ts'
import type { Patch } from '../../services.ts'
import { editLines, escapeJson, joinChunks, rechunk, rewriteJson } from '../patches/framing.ts'
import { onBody, onReply, withHeaders } from '../patches/replies.ts'
import { everywhere } from '../patches/requests.ts'
import { counting } from '../patches/services.ts'
import { alternatives, type Dialect, dialectTable } from '../table.ts'

/** Must be applied last: the other patches read the lines of a block. */
export const lineEnds = alternatives({
  'line-ends-crlf: Lines of streams end with CRLF.': editLines((lines) => lines, '\r\n'),
  'line-ends-cr: Lines of streams end with CR only.': editLines((lines) => lines, '\r'),
})

export const framing: readonly Dialect[] = [
  ...dialectTable({
    'no-space-after-colon: Fields of a block have no space after the colon.': editLines((lines) =>
      lines.map((line) => line.replace(/^(\w+): /, '$1:')),
    ),
    'data-before-event: The event: line follows the data: lines of its block.': editLines(
      (lines) => [
        ...lines.filter((line) => !line.startsWith('event:')),
        ...lines.filter((line) => line.startsWith('event:')),
      ],
    ),
    'comment-heartbeats: Comment lines are sent between blocks, some followed by an empty line.':
      editLines((lines) => [': heartbeat', '', ':', ...lines]),
    'comments-inside-blocks: Each block contains a comment line.': editLines((lines) =>
      lines.flatMap((line, at) => (at === 0 ? [line, ':data: {'] : [line])),
    ),
    'blank-lines-more: Blocks are separated by three empty lines.': editLines((lines) => [
      '',
      '',
      ...lines,
    ]),
    'other-fields: Blocks contain id: and retry: lines and unknown fields.': counting((next) =>
      editLines((lines) => [`id: ${next()}`, 'retry: 3000', ...lines, 'x-node: 7', 'trace']),
    ),
    'byte-order-mark: Streams start with a byte order mark.': rechunk(
      everywhere,
      async function* (chunks) {
        yield Buffer.from('\ufeff')
        yield* chunks
      },
    ),
  }),
  ...alternatives({
    'json-over-several-lines: The JSON of a block is pretty-printed over several data: lines.':
      rewriteJson((value) => JSON.stringify(value, null, 2)),
    'json-escaped: Non-ASCII characters and slashes are escaped in the JSON of blocks.':
      rewriteJson((value) => escapeJson(JSON.stringify(value))),
    'json-sorted: The members of JSON objects in blocks are sorted by name.': rewriteJson((value) =>
      JSON.stringify(value, sortMembers),
    ),
  }),
]

function sortMembers(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

export const segments: readonly Dialect[] = alternatives({
  'segments-inside-characters: Each byte of multi-byte characters and line endings is sent in a separate segment.':
    rechunk(everywhere, async function* (chunks) {
      for await (const chunk of chunks) yield* splitAtOddBytes(chunk)
    }),
  'segments-of-seven-bytes: Streams are sent in segments of seven bytes.': rechunk(
    everywhere,
    (chunks) => splitChunks(chunks, () => 7),
  ),
  'segments-at-random: Streams are sent in segments of random size, 1 to 90 bytes.': rechunk(
    everywhere,
    (chunks) => {
      const draw = seededDraw(1, 'segments')
      return splitChunks(chunks, () => 1 + Math.floor(draw() * 90))
    },
  ),
  'segments-few: Blocks are buffered and sent in segments of about 4 KiB.': rechunk(
    everywhere,
    (chunks) => joinChunks(chunks, (held) => Buffer.concat(held).length >= 4096),
  ),
})

function* splitAtOddBytes(chunk: Uint8Array): Generator<Uint8Array> {
  let from = 0
  for (const [at, byte] of chunk.entries()) {
    if (byte < 0x80 && byte !== 10 && byte !== 13) continue
    if (at > from) yield chunk.subarray(from, at)
    yield chunk.subarray(at, at + 1)
    from = at + 1
  }
  if (from < chunk.length) yield chunk.subarray(from)
}

async function* splitChunks(
  chunks: AsyncIterable<Uint8Array>,
  size: () => number,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      const to = from + size()
      yield chunk.subarray(from, to)
      from = to
    }
  }
}

export const httpDialects: readonly Dialect[] = [
  ...dialectTable({
    'bodies-without-length: JSON bodies use chunked transfer coding without Content-Length.':
      onBody(everywhere, (reply) => withHeaders(reply, { 'transfer-encoding': 'chunked' })),
    'headers-of-a-proxy: Header names are in upper case, and a proxy adds headers.': onReply(
      everywhere,
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
  return onBody(everywhere, (reply) =>
    reply.body instanceof Uint8Array ? reply : { ...reply, body: Buffer.from(write(reply.body)) },
  )
}

function changeMediaTypes(change: (type: string) => string): Patch {
  return onReply(everywhere, (reply) => {
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
    {
      // A JSON body has no comments.
      excludes: ['repeat-in-json'],
      patch: rechunk(everywhere, async function* (chunks) {
        for (let beat = 0; beat < 8; beat += 1) {
          yield Buffer.from(beat % 2 === 0 ? ':\n' : ': still here\n\n')
          await sleep(20)
        }
        yield* chunks
      }),
    },
  'connections-used-once: Every response has Connection: close.': onReply(everywhere, (reply) =>
    withHeaders(reply, { connection: 'close' }),
  ),
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
