/** Writer of a streamed body, one write per chunk. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Writes a chunk; resolves when the next may follow, or is undefined if at once. */
type WriteChunk = (chunk: Uint8Array) => Promise<void> | undefined

/** After this time without a write, other streams have had their turn of the event loop. */
const turnMs = 1

/**
 * Waits until a chunk has left this process, and then for the others' turn: each is its own write,
 * never gathered with the next one; a reader who is slow slows us down, and one who is fast does not
 * keep the server to itself.
 */
export function chunkWriter(raw: ServerResponse): WriteChunk {
  const { socket } = raw
  let settle = () => {}
  raw.once('close', () => settle())
  return socket !== null && raw.chunkedEncoding ? ontoSocket(socket) : throughResponse

  function throughResponse(chunk: Uint8Array): Promise<void> {
    return settled((done) => raw.write(chunk, () => setImmediate(done)))
  }

  /** Framed here, a chunk is one buffer and one system call, made at once; a response makes it four. */
  function ontoSocket(to: Socket): WriteChunk {
    let lastWriteAt = 0
    return (chunk) => {
      if (chunk.length === 0) return undefined
      const now = performance.now()
      const yieldedSince = now - lastWriteAt > turnMs
      lastWriteAt = now
      if (!yieldedSince || to.writableLength > 0) {
        return settled((done) => to.write(framed(chunk), () => setImmediate(done)))
      }
      return to.write(framed(chunk)) ? undefined : settled((done) => to.once('drain', done))
    }
  }

  function settled(start: (done: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      settle = resolve
      start(resolve)
    })
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
