import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface LoopbackServer {
  readonly port: number
  /** Stops listening and destroys all open connections. */
  close(): Promise<void>
}

/** Listens on a free port of 127.0.0.1. */
export async function listenOnLoopback(server: Server): Promise<LoopbackServer> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

export interface TestHost {
  /** URL without a path. */
  readonly url: string
  close(): Promise<void>
}

/** Starts an HTTP server on loopback; closing it destroys all connections. */
export async function listen(handler: RequestListener): Promise<TestHost> {
  const server = createServer(handler)
  // Longer than any test: a connection that the client keeps must not be closed under it.
  server.keepAliveTimeout = 60_000
  const { port, close } = await listenOnLoopback(server)
  return { url: `http://127.0.0.1:${port}`, close }
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces)
}

export interface Forwarding {
  /** Path to send instead of the original one. */
  readonly path?: string
  /** Added to the headers of the request. */
  readonly headers?: OutgoingHttpHeaders
  /** Body of the request if it was read already. */
  readonly body?: Buffer
}

/** Hands a request to the server at a URL, and streams its response back. */
export function forward(
  target: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { path = incoming.url ?? '/', headers = {}, body }: Forwarding = {},
): void {
  const options = { method: incoming.method, headers: { ...incoming.headers, ...headers } }
  const onward = request(`${target}${path}`, options, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
    answer.on('error', () => outgoing.destroy())
    answer.pipe(outgoing)
  })
  onward.on('error', () => outgoing.destroy())
  outgoing.on('close', () => onward.destroy())
  if (body === undefined) incoming.pipe(onward)
  else onward.end(body)
}

/** The free port of 127.0.0.1 at which a server listens until the test has finished. */
export async function portOf(server: Server): Promise<number> {
  const { port, close } = await listenOnLoopback(server)
  onTestFinished(close)
  return port
}

/** The same as a URL without a path. */
export async function urlOf(server: Server): Promise<string> {
  return `http://127.0.0.1:${await portOf(server)}`
}
