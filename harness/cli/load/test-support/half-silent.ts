/** A v3 surface that makes chats, and then says no more: neither generates nor deletes. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { onTestFinished } from 'vitest'

export interface HalfSilent {
  readonly url: string
  /** Resolves with the first request that is not answered. */
  readonly waits: Promise<void>
}

export async function halfSilentServer(): Promise<HalfSilent> {
  const waits = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    request.resume()
    const isNew = request.method === 'POST' && request.url === '/api/v3/chat'
    if (request.method !== 'GET' && !isNew) {
      waits.resolve()
      return
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(isNew ? { chat: { id: randomUUID() } } : { result: [] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, waits: waits.promise }
}
