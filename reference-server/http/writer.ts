/** Writer of replies to sockets. */
import type { ServerResponse } from 'node:http'
import { type EncodeBlock, sseHeaders } from '../events/sse.ts'
import { forEachValue, mapValues, TimedValues } from '../runtime/timed-values.ts'
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
  const content = await collect(bytes(call, new TimedValues([text])))
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
  const writer = chunkWriter(raw)
  writer.writeHead()
  try {
    await forEachValue(bytes(call, mapValues(blocks, encode)), (chunk) => {
      if (raw.destroyed) throw clientLeft
      return writer.write(chunk)
    })
    raw.end()
  } catch (error) {
    if (raw.destroyed) return
    writer.flush()
    raw.destroy()
    throw error
  }
}

/** Ends the generation of blocks that nobody reads. */
const clientLeft = new Error('The client has left')

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  await forEachValue(chunks, (chunk) => {
    all.push(chunk)
    return undefined
  })
  const [first, ...others] = all
  return first !== undefined && others.length === 0 ? first : Buffer.concat(all)
}
