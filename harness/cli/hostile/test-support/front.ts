import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { listenOnLoopback } from '../../../client/test-support/listen-on-loopback.ts'

export interface ReceivedRequest {
  readonly method: string
  /** Path without the query. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Answers on the bare socket; nothing of HTTP is seen to. */
export type Answer = (socket: Socket, request: ReceivedRequest) => unknown

export interface Front {
  readonly url: string
  close(): Promise<void>
}

/** A service behind a front that answers some requests itself, as it likes; a null service answers none. */
export async function startFront(
  service: string | null,
  answerFor: (request: ReceivedRequest) => Answer | undefined,
): Promise<Front> {
  const server = createServer((request, response) => void serve(request, response))
  server.keepAliveTimeout = 60_000
  const { port, close } = await listenOnLoopback(server)
  return { url: `http://127.0.0.1:${port}`, close }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    const { method = 'GET', url = '/', headers } = request
    const path = new URL(url, 'http://localhost').pathname
    const received = { method, path, headers, body: body.toString() }
    const answer = answerFor(received)
    if (answer) await answer(request.socket, received)
    else if (service !== null) forward(service, request, body, response)
    else response.writeHead(404).end()
  }
}

function forward(
  service: string,
  { method = 'GET', url = '/', headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): void {
  const onwards = ask(new URL(url, service), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  onwards.on('error', () => response.destroy())
  response.on('close', () => onwards.destroy())
  onwards.end(body)
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces)
}
