import { once } from 'node:events'
import { createServer } from 'node:net'

/** Ports below those that the kernel gives to connections, which could take one before its program binds it. */
const [lowest, count] = [20_000, 10_000]
/** Ports already assigned: programs bind them later, and until then they appear free. */
const reserved = new Set<number>()

/** A loopback port for a program that cannot choose one itself; never the same twice. */
export async function freePort(): Promise<number> {
  const port = lowest + Math.floor(Math.random() * count)
  if (reserved.has(port)) return freePort()
  reserved.add(port)
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return freePort()
  }
  server.close()
  await once(server, 'close')
  return port
}
