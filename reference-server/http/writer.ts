/** Writer of replies to sockets. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type EncodeBlock, type SseBlock, sseHeaders } from '../events/sequence.ts'
import { type Pause, withPause } from '../runtime/pace.ts'
import { forEachValue, mapValues, TimedValues } from '../runtime/timed-values.ts'
import type { Call, Reply, StreamReply, ValueReply } from './call.ts'

export interface Encoding {
  readonly encode: EncodeBlock
  /** Processes the bytes of any answer, in the pieces in which they will be written. */
  readonly bytes: (call: Call, chunks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>
  /** Wait before an answer and before each block of a stream; undefined if there never is one. */
  readonly pause: Pause | undefined
}

/**
 * Monotonic timestamps on request, in nanoseconds of CLOCK_MONOTONIC, which is one clock for all processes of a machine:
 * a client on the same machine can distinguish its own timestamp error from server time. An answer has the time at
 * which its request was received and, if it is not streamed, the time at which it was sent. In a stream, each event
 * begins with the comment `: sent <ns>`, in the same write. Without the request, answers are byte for byte unchanged.
 */
function wantsStamps({ headers }: Call): boolean {
  return headers['x-chatgen-stamps'] === '1'
}

function stampHeaders(call: Call, more: Readonly<Record<string, string>> = {}) {
  return wantsStamps(call) ? { 'x-chatgen-received': String(call.receivedNs), ...more } : {}
}

function stamped(chunk: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`: sent ${process.hrtime.bigint()}\n`), chunk])
}

/**
 * Resolves when the answer is written or the client has disconnected. A stream that throws is cut without the
 * regular end of its body, so that no client mistakes it for complete.
 */
export function writeReply(
  raw: ServerResponse,
  call: Call,
  reply: Reply,
  encoding: Encoding,
): Promise<void> {
  if (raw.destroyed) return Promise.resolve()
  return 'blocks' in reply
    ? writeStream(raw, call, reply, encoding)
    : writeValue(raw, call, reply, encoding)
}

async function writeValue(
  raw: ServerResponse,
  call: Call,
  { status, headers = {}, body }: ValueReply,
  { bytes }: Encoding,
): Promise<void> {
  const stamps = () => stampHeaders(call, { 'x-chatgen-sent': String(process.hrtime.bigint()) })
  if (body === undefined) {
    raw.writeHead(status, { 'x-request-id': call.id, ...headers, ...stamps() }).end()
    return
  }
  const whole = body instanceof Uint8Array ? body : JSON.stringify(body)
  const plain = new TimedValues(bytesOf(whole))
  const pieces = bytes(call, plain)
  // An unchanged text is sent in one piece with the head.
  const content = pieces === plain ? whole : Buffer.concat(await Array.fromAsync(pieces))
  raw.writeHead(status, {
    'x-request-id': call.id,
    'content-type': 'application/json',
    ...('transfer-encoding' in headers ? {} : { 'content-length': Buffer.byteLength(content) }),
    ...headers,
    ...stamps(),
  })
  raw.end(content)
}

function* bytesOf(content: string | Uint8Array): Generator<Uint8Array> {
  yield typeof content === 'string' ? Buffer.from(content) : content
}

async function writeStream(
  raw: ServerResponse,
  call: Call,
  { status, headers = {}, blocks }: StreamReply,
  { encode, bytes, pause }: Encoding,
): Promise<void> {
  const ownHeaders = { 'x-request-id': call.id, ...sseHeaders, ...headers, ...stampHeaders(call) }
  raw.writeHead(status, ownHeaders)
  // Of several requests at once, only the first has the socket.
  if (raw.socket === null) await once(raw, 'socket')
  const { socket } = raw
  if (socket === null) return
  const writer = new ChunkWriter(raw, socket)
  const due = pause === undefined ? blocks : withPause(blocks, pause, call.signal)
  const write = wantsStamps(call) ? (block: SseBlock) => stamped(encode(block)) : encode
  try {
    await forEachValue(bytes(call, mapValues(due, write)), (chunk) => {
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

/** Stops the generation of blocks after the client has disconnected. */
const clientLeft = new Error('The client disconnected')

/** Bytes after which a stream that writes without a wait yields to other streams. */
const turnBytes = 16 * 1024

/**
 * Chunks that are due at the same time share a system call, and a chunk never waits for a later one. A slow
 * reader slows the stream down, and a fast one does not block the server. Framed here, a chunk is one buffer; a
 * Node.js response would write four.
 */
class ChunkWriter {
  readonly #to: Socket
  readonly #isFramed: boolean
  #isCorked = false
  #turn = 0
  #proceed: (() => void) | undefined

  /** Sends the head before the first chunk, or together with it if that is due immediately. */
  constructor(raw: ServerResponse, to: Socket) {
    this.#to = to
    this.#isFramed = raw.chunkedEncoding
    raw.on('close', () => this.#proceed?.())
    this.#gather()
    raw.flushHeaders()
  }

  /** Accepts a chunk; resolves when the next may follow; undefined if immediately. */
  write(chunk: Uint8Array): Promise<void> | undefined {
    const to = this.#to
    if (chunk.length === 0 || to.destroyed) return undefined
    this.#gather()
    this.#turn += chunk.length
    const hasRoom = to.write(this.#isFramed ? framed(chunk) : chunk)
    if (hasRoom && this.#turn < turnBytes) return undefined
    this.flush()
    return new Promise((resolve) => {
      this.#proceed = resolve
      if (to.writableNeedDrain) to.once('drain', resolve)
      else setImmediate(resolve)
    })
  }

  /** Passes all accepted chunks to the kernel. */
  flush(): void {
    if (this.#isCorked) this.#to.uncork()
    this.#isCorked = false
    this.#turn = 0
  }

  #gather(): void {
    if (this.#isCorked) return
    this.#isCorked = true
    this.#to.cork()
    // Runs after all settled promises, when the chunks due at the same time have been written.
    process.nextTick(() => this.flush())
  }
}

/** RFC 9112, section 7.1. */
function framed(chunk: Uint8Array): Buffer {
  const size = chunk.length.toString(16)
  const frame = Buffer.allocUnsafe(size.length + chunk.length + 4)
  frame.write(size, 'latin1')
  frame[size.length] = carriageReturn
  frame[size.length + 1] = lineFeed
  frame.set(chunk, size.length + 2)
  frame[frame.length - 2] = carriageReturn
  frame[frame.length - 1] = lineFeed
  return frame
}

const [carriageReturn, lineFeed] = [13, 10]
