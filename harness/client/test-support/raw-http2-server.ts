import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { listenOnLoopback } from './listen-on-loopback.ts'

export type Frames = (stream: number, turn: number) => readonly Buffer[] | null

/**
 * A server that knows only the frames of HTTP/2 (RFC 9113, section 4): it answers the requests of a
 * connection with the given frames, all in one write, or closes the connection for null.
 */
export async function startRawHttp2Server(frames: Frames, tls?: TlsOptions) {
  let connections = 0
  let turns = 0
  const accept = (socket: Socket) => {
    connections += 1
    socket.on('error', () => {})
    let waiting = Buffer.alloc(0)
    let greeted = false
    socket.write(frame(4, 0, 0))
    socket.on('data', (bytes) => {
      waiting = Buffer.concat([waiting, bytes])
      if (!greeted) {
        if (waiting.length < preface) return
        waiting = waiting.subarray(preface)
        greeted = true
      }
      while (waiting.length >= 9) {
        const length = waiting.readUIntBE(0, 3)
        if (waiting.length < 9 + length) return
        const [type, flags] = [waiting[3], waiting[4] ?? 0]
        const stream = waiting.readUInt32BE(5) & 0x7fffffff
        waiting = waiting.subarray(9 + length)
        if (type === 4 && (flags & 1) === 0) socket.write(frame(4, 1, 0))
        if (type !== 1) continue
        const answer = frames(stream, turns++)
        if (answer === null) socket.destroy()
        else socket.write(Buffer.concat(answer))
      }
    })
  }
  const server =
    tls === undefined
      ? createServer(accept)
      : createTlsServer({ ...tls, ALPNProtocols: ['h2'] }, accept)
  const { port, close } = await listenOnLoopback(server)
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    get connections() {
      return connections
    },
    close,
  }
}

/** HEADERS with status 200, a media type and further fields; `last` ends the stream with it. */
export function head(
  stream: number,
  mediaType: string,
  fields: Readonly<Record<string, string>> = {},
  last = false,
): Buffer {
  const literals = Object.entries({ 'content-type': mediaType, ...fields }).map(([name, value]) =>
    literal(name, value),
  )
  return frame(1, last ? 0x5 : 0x4, stream, Buffer.concat([Buffer.from([0x88]), ...literals]))
}

export function data(stream: number, text: string | Uint8Array, last = false): Buffer {
  return frame(0, last ? 1 : 0, stream, Buffer.from(text))
}

/** Field section after the body; ends the stream. */
export function trailers(stream: number, name: string, value: string): Buffer {
  return frame(1, 0x5, stream, literal(name, value))
}

export function reset(stream: number, code: number): Buffer {
  return frame(3, 0, stream, uint32(code))
}

export function goAway(lastStream: number, code: number): Buffer {
  return frame(7, 0, 0, Buffer.concat([uint32(lastStream), uint32(code)]))
}

const preface = 24

function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = Buffer.alloc(0),
): Buffer {
  const start = Buffer.alloc(9)
  start.writeUIntBE(payload.length, 0, 3)
  start[3] = type
  start[4] = flags
  start.writeUInt32BE(stream, 5)
  return Buffer.concat([start, payload])
}

/** A literal field without indexing (RFC 7541, section 6.2.2). */
function literal(name: string, value: string): Buffer {
  return Buffer.concat([
    Buffer.from([0, name.length]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
