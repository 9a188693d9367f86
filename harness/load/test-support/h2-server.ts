/** A compatible surface over HTTP/2, by prior knowledge or over TLS, where it also speaks HTTP/1.1 (ALPN). */
import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type ServerHttp2Stream,
  type Settings,
} from 'node:http2'
import { onTestFinished } from 'vitest'
import { directNetwork, type NetworkOptions } from '../../client/index.ts'
import { portOf } from '../../client/test-support/listen-on-loopback.ts'
import { certificate } from '../../client/test-support/tls-front.ts'

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

export async function h2Server({
  secure = true,
  settings = {},
  answer = (stream) => void speak(stream),
}: H2Options = {}) {
  /** Connections that spoke HTTP/2, their streams, and the most streams of one at once. */
  const counts = { sessions: 0, streams: 0, maxAtOnce: 0 }
  const server: Http2Server | Http2SecureServer = secure
    ? createSecureServer({ ...own, allowHTTP1: true, settings })
    : createServer({ settings })
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
