/** A minimal compatible surface that can fail in each of the ways that a record distinguishes. */
import { createServer, type ServerResponse } from 'node:http'
import { urlOf } from '../../client/test-support/listen-on-loopback.ts'
import { chunk } from './h2-server.ts'

export type Manner =
  | 'well'
  | 'cut'
  | 'cut after [DONE]'
  | 'without end'
  | 'without [DONE]'
  | 'no text'
  | 'text elsewhere'
  | 'closing'
  | 'error inside'
  | 'silent'
  | 'stuck'
  | 'same id'
  | 'not JSON'
  | 'reset'
  | number

/** `manner` selects the answer to the n-th request, from 0. */
export async function oddServer(manner: (n: number) => Manner, { tokens = 5, gapMs = 2 } = {}) {
  const counts = { requests: 0, connections: 0, left: 0 }
  const server = createServer((request, response) => {
    request.resume()
    const n = counts.requests
    counts.requests += 1
    response.on('close', () => {
      if (!response.writableEnded) counts.left += 1
    })
    request.on('end', () => void answer(response, manner(n), { n, tokens, gapMs }))
  })
  server.on('connection', () => {
    counts.connections += 1
  })
  const url = await urlOf(server)
  return {
    url,
    /** Requests and connections so far. */
    requests: () => counts.requests,
    connections: () => counts.connections,
    /** Answers whose client left before their end. */
    left: () => counts.left,
  }
}

async function answer(
  response: ServerResponse,
  manner: Manner,
  { n, tokens, gapMs }: Readonly<Record<'n' | 'tokens' | 'gapMs', number>>,
): Promise<void> {
  if (typeof manner === 'number') {
    response.writeHead(manner, { 'content-type': 'application/json' }).end('{"error":{}}')
    return
  }
  if (manner === 'silent') return
  if (manner === 'reset') {
    response.destroy()
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const id = manner === 'same id' ? 'one' : `c${n}`
  response.write(chunk({ role: 'assistant', content: '' }, null, id))
  for (let at = 0; at < tokens && !response.destroyed; at += 1) {
    await new Promise((resolve) => setTimeout(resolve, gapMs))
    if (at === 2 && manner === 'stuck') return
    if (at === 2 && manner === 'cut') {
      response.destroy()
      return
    }
    if (at === 2 && manner === 'error inside') {
      response.end('data: {"error":{"code":"overloaded"}}\n\n')
      return
    }
    if (at === 2 && manner === 'not JSON') response.write('data: {"id":\n\n')
    const member = manner === 'text elsewhere' ? 'text' : 'content'
    response.write(chunk({ [member]: manner === 'no text' ? '' : ` w${at}` }, null, id))
  }
  if (manner !== 'without end') response.write(chunk({}, 'stop', id))
  if (manner === 'cut after [DONE]') {
    response.write('data: [DONE]\n\n', () => response.destroy())
    return
  }
  if (!manner.startsWith('without')) response.write('data: [DONE]\n\n')
  // Like llama.cpp, after announcing a persistent connection.
  const { socket } = response
  response.end(() => {
    if (manner === 'closing') socket?.end()
  })
}
