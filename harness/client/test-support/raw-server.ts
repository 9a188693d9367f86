import { createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { listenOnLoopback } from './listen-on-loopback.ts'

export interface RawServer {
  readonly url: string
  /** Heads of the requests, as they came. */
  readonly heads: readonly string[]
  close(): Promise<void>
}

/** A server without HTTP: it runs the script when the header of a request is complete. */
export async function startRawServer(
  script: (socket: Socket, turn: number) => unknown,
): Promise<RawServer> {
  const heads: string[] = []
  const server = createServer((socket) => {
    socket.setNoDelay(true)
    let waiting = ''
    socket.on('data', (bytes) => {
      waiting += bytes.toString('latin1')
      if (!waiting.includes('\r\n\r\n')) return
      heads.push(waiting)
      waiting = ''
      script(socket, heads.length - 1)
    })
  })
  const { port, close } = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}`,
    heads,
    close,
  }
}

/** Writes pieces so that they arrive as separate segments. */
export async function writePieces(
  socket: Socket,
  pieces: readonly (string | Uint8Array)[],
): Promise<void> {
  for (const piece of pieces) {
    socket.write(piece)
    await nextTurn()
    await nextTurn()
  }
}

/** Sends as fast as the peer takes it, as long as the peer is there. */
export function pour(socket: Socket, begin: string, again: string): void {
  const pump = () => {
    while (!socket.destroyed && socket.write(again));
  }
  socket.on('drain', pump)
  socket.write(begin)
  pump()
}
