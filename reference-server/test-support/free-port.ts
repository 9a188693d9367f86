import { once } from 'node:events'
import { createServer } from 'node:net'

/** Ports already assigned: programs bind them later, and until then they appear free. */
const reserved = new Set<number>()

/** A loopback port for a program that cannot choose one itself; never the same twice. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  const port = typeof address === 'object' && address !== null ? address.port : 0
  if (reserved.has(port)) return freePort()
  reserved.add(port)
  return port
}
