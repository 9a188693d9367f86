import type { Server } from 'node:net'
import { onTestFinished } from 'vitest'
import { listenOnLoopback } from '../../client/test-support/listen-on-loopback.ts'

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
