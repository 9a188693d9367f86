import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TestHost {
  /** Without a path. */
  readonly url: string
  close(): Promise<void>
}

/** A real server on loopback; closing it hangs up on everybody. */
export async function listen(handler: RequestListener): Promise<TestHost> {
  const server = createServer(handler)
  // Longer than any test: a connection that the client keeps must not be closed under it.
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces)
}
