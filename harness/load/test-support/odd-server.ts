/** Minimal compatible surfaces, over HTTP/1.1 and HTTP/2. */
import { createServer, type ServerResponse } from 'node:http'
import {
  createServer as createHttp2Server,
  createSecureServer,
  type Http2SecureServer,
  type Http2Server,
  type ServerHttp2Stream,
  type Settings,
} from 'node:http2'
import { onTestFinished } from 'vitest'
import { directNetwork, type NetworkOptions } from '../../client/index.ts'
import { portOf, urlOf } from '../../client/test-support/listen-on-loopback.ts'
import { certificate } from '../../client/test-support/tls-front.ts'

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

/**
 * A surface that can fail in each of the ways that a record distinguishes.
 * @param manner selects the answer to the n-th request, from 0
 */
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

const own = certificate('self-signed')

/** Trusts the certificate of the server. */
export const trusting: NetworkOptions = { ...directNetwork, ca: own.cert }

interface H2Options {
  /** True for TLS with ALPN; otherwise prior knowledge. */
  readonly secure?: boolean
  readonly settings?: Settings
  /** Answers the n-th stream, from 0, with this X-Request-Id. */
  readonly answer?: (stream: ServerHttp2Stream, n: number, id: string) => void
}

/** A surface over HTTP/2, by prior knowledge or over TLS, where it also speaks HTTP/1.1 (ALPN). */
export async function h2Server({
  secure = true,
  settings = {},
  answer = (stream) => void speak(stream),
}: H2Options = {}) {
  /** Connections that spoke HTTP/2, their streams, and the most streams of one at once. */
  const counts = { sessions: 0, streams: 0, maxAtOnce: 0 }
  const server: Http2Server | Http2SecureServer = secure
    ? createSecureServer({ ...own, allowHTTP1: true, settings })
    : createHttp2Server({ settings })
  server.on('session', (session) => {
    let open = 0
    let first = true
    session.on('error', () => {})
    session.on('stream', (stream, headers) => {
      counts.sessions += first ? 1 : 0
      first = false
      open += 1
      counts.maxAtOnce = Math.max(counts.maxAtOnce, open)
      stream.on('error', () => {})
      stream.on('close', () => {
        open -= 1
      })
      const n = counts.streams
      counts.streams += 1
      stream.resume()
      stream.on('end', () => answer(stream, n, String(headers['x-request-id'])))
    })
    onTestFinished(() => session.destroy())
  })
  server.on('sessionError', () => {})
  // HTTP/1.1 only: a stream has its own listener.
  server.on('request', (request, response) => {
    if (request.httpVersionMajor === 2) return
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(speech.join(''))
  })
  const port = await portOf(server)
  return {
    url: secure ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    counts,
  }
}

/** A whole answer; `pause` between its events. */
export async function speak(
  stream: ServerHttp2Stream,
  { pause = async () => {} }: { readonly pause?: () => Promise<unknown> } = {},
): Promise<void> {
  begin(stream)
  for (const event of speech) {
    if (stream.destroyed) return
    stream.write(event)
    await pause()
  }
  if (!stream.destroyed) stream.end()
}

/** Answers with the head, and no event yet. */
export function begin(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200, 'content-type': 'text/event-stream' })
}

export const speech: readonly string[] = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'one' }),
  chunk({ content: ' two' }),
  chunk({ content: ' three' }),
  chunk({}, 'stop'),
  'data: [DONE]\n\n',
]

/** A chunk of a compatible stream, as an event. */
export function chunk(delta: object, finish: string | null = null, id = 'c'): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  const head = { id, object: 'chat.completion.chunk', created: 1, model: 'm' }
  return `data: ${JSON.stringify({ ...head, choices })}\n\n`
}
