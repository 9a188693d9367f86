/** Writer of replies to sockets. */
import type { ServerResponse } from 'node:http'
import { type EncodeBlock, sseHeaders } from '../events/sse.ts'
import { mapAsync } from '../runtime/map-async.ts'
import type { Call, Reply, StreamReply, ValueReply } from './call.ts'
import { chunkWriter } from './chunk-writer.ts'

/** The bytes of any answer on their way out, in the pieces in which they will be written. */
type Bytes = (call: Call, chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>

export interface Encoding {
  readonly encode: EncodeBlock
  readonly bytes: Bytes
}

/**
 * Resolves when the answer is written or its client has left. A stream that throws is cut, without
 * the proper end of its body, so that nobody takes it for whole.
 */
export async function writeReply(
  raw: ServerResponse,
  call: Call,
  reply: Reply,
  encoding: Encoding,
): Promise<void> {
  if (raw.destroyed) return
  raw.setHeader('x-request-id', call.id)
  if ('blocks' in reply) await writeStream(raw, call, reply, encoding)
  else await writeValue(raw, call, reply, encoding)
}

async function writeValue(
  raw: ServerResponse,
  call: Call,
  { status, headers = {}, body }: ValueReply,
  { bytes }: Encoding,
): Promise<void> {
  if (body === undefined) {
    raw.writeHead(status, headers).end()
    return
  }
  const text = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body))
  const content = await collect(bytes(call, once(text)))
  const length = 'transfer-encoding' in headers ? {} : { 'content-length': content.length }
  raw.writeHead(status, { 'content-type': 'application/json', ...length, ...headers })
  raw.end(content)
}

async function writeStream(
  raw: ServerResponse,
  call: Call,
  { status, headers = {}, blocks }: StreamReply,
  { encode, bytes }: Encoding,
): Promise<void> {
  raw.writeHead(status, { ...sseHeaders, ...headers })
  raw.flushHeaders()
  const write = chunkWriter(raw)
  try {
    for await (const chunk of bytes(call, mapAsync(blocks, encode))) {
      const wait = write(chunk)
      if (wait !== undefined) await wait
      if (raw.destroyed) return
    }
    raw.end()
  } catch (error) {
    raw.destroy()
    if (!call.signal.aborted) throw error
  }
}

async function* once(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}
