/** A v3 surface that creates chats, but never answers a generation or deletion. */
import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { listen } from '../../../client/test-support/listen-on-loopback.ts'

export interface HalfSilent {
  readonly url: string
  /** Resolves with the first request that is not answered. */
  readonly waits: Promise<void>
}

export async function halfSilentServer(): Promise<HalfSilent> {
  const waits = Promise.withResolvers<void>()
  const { url, close } = await listen((request, response) => {
    request.resume()
    const isNew = request.method === 'POST' && request.url === '/api/v3/chat'
    if (request.method !== 'GET' && !isNew) {
      waits.resolve()
      return
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(isNew ? { chat: { id: randomUUID() } } : { result: [] }))
  })
  onTestFinished(close)
  return { url, waits: waits.promise }
}
