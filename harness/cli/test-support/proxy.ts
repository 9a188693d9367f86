import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from 'node:http'
import { listen, readBody } from '../../client/test-support/listen-on-loopback.ts'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface ProxiedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

/** Changes to the requests and responses between a client and a server. */
export interface Middleman {
  /** Answers in place of the server; undefined forwards the request. */
  readonly instead?: (request: ProxiedRequest) => Answer | undefined
  /** Pieces in which the answer is written; by default a single one. An error cuts the connection. */
  readonly pieces?: (request: ProxiedRequest, answer: Answer) => Iterable<Buffer>
  readonly headers?: (request: ProxiedRequest, answer: Answer) => IncomingHttpHeaders
}

export interface Proxy extends AsyncDisposable {
  readonly url: string
}

/** A proxy that buffers whole answers before it forwards them. */
export async function startProxy(target: string, middleman: Middleman = {}): Promise<Proxy> {
  const { url, close } = await listen((request, response) => {
    void pass(request, response, target, middleman).catch(() => response.destroy())
  })
  return { url, [Symbol.asyncDispose]: close }
}

async function pass(
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
  { instead, pieces, headers }: Middleman,
): Promise<void> {
  const { method = 'GET', url: path = '/' } = request
  const received = { method, path, headers: request.headers }
  const body = await readBody(request)
  const answer = instead?.(received) ?? (await ask(`${target}${path}`, received, body))
  const { 'content-length': _, 'transfer-encoding': __, connection: ___, ...kept } = answer.headers
  response.writeHead(answer.status, { ...kept, ...headers?.(received, answer) })
  for (const piece of pieces?.(received, answer) ?? [answer.body]) {
    response.write(piece)
    // Makes each piece arrive separately.
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  response.end()
}

function ask(url: string, { method, headers }: ProxiedRequest, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const passed = send(url, { method, headers }, (answer) => {
      readBody(answer).then(
        (content) =>
          resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: content }),
        reject,
      )
    })
    passed.on('error', reject)
    passed.end(body)
  })
}
