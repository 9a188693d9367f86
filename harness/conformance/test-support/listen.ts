import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { listenOnLoopback } from '../../client/test-support/listen-on-loopback.ts'

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
