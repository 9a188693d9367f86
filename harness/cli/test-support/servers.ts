import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from 'node:http'
import { listen, readBody } from '../../client/test-support/listen-on-loopback.ts'

export interface Behavior {
  /** Answers without checking the key. */
  readonly open?: boolean
  /** Answers every key with this status. */
  readonly refuseAll?: number
  /** Delay of every answer, in milliseconds. */
  readonly delayMs?: number
  /** Number of requests that are answered. */
  readonly silentAfter?: number
  /** Called with the number of each request, before it is answered. */
  readonly onRequest?: (count: number) => void
}

export const key = 'sk-models-server-4711'
export const withKey = { CHATGEN_API_KEY: key }

/** Service with only `GET /models`: it lists its models to clients with the key. */
export async function startModelsServer(behavior: Behavior = {}) {
  let requests = 0
  const { url, close } = await listen((request, response) => {
    requests += 1
    behavior.onRequest?.(requests)
    if (requests > (behavior.silentAfter ?? requests)) return
    setTimeout(() => answer(request, response, behavior), behavior.delayMs ?? 0)
  })
  return {
    url,
    get requests() {
      return requests
    },
    [Symbol.asyncDispose]: close,
  }
}

function answer(request: IncomingMessage, response: ServerResponse, behavior: Behavior): void {
  const authorized = behavior.open || request.headers.authorization === `Bearer ${key}`
  response.setHeader('content-type', 'application/json')
  if (behavior.refuseAll) response.statusCode = behavior.refuseAll
  else if (!authorized) response.statusCode = 401
  else if (request.url !== '/api/openai/models') response.statusCode = 404
  const listed = { object: 'list', data: [{ id: 'svc-main-model', object: 'model' }] }
  response.end(JSON.stringify(response.statusCode === 200 ? listed : { error: { message: 'no' } }))
}

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

/** A proxy that buffers whole answers before it forwards them. */
export async function startProxy(target: string, middleman: Middleman = {}) {
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
      const { statusCode: status = 502, headers } = answer
      readBody(answer).then((body) => resolve({ status, headers, body }), reject)
    })
    passed.on('error', reject)
    passed.end(body)
  })
}
