import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

export interface RawServer {
  readonly url: string
  /** Heads of the requests, as they came. */
  readonly heads: readonly string[]
  close(): Promise<void>
}

/** A server that knows nothing of HTTP: once a request has come, it does what it is told. */
export async function startRawServer(
  script: (socket: Socket, turn: number) => unknown,
): Promise<RawServer> {
  const heads: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    let waiting = ''
    socket.on('data', (bytes) => {
      waiting += bytes.toString('latin1')
      if (!waiting.includes('\r\n\r\n')) return
      heads.push(waiting)
      waiting = ''
      script(socket, heads.length - 1)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    heads,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Writes pieces so that they arrive as segments of their own. */
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
