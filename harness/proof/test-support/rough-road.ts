import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import {
  ask,
  listen,
  readBody,
  type TestHost,
} from '../../client/test-support/listen-on-loopback.ts'

/** Effect of a proxy on one request or its response. */
export type Disturbance =
  /** Answers in place of the server: with a page, or an error in JSON. */
  | {
      readonly kind: 'status'
      readonly status: number
      readonly form?: 'page' | 'json'
      /** Forwards the request all the same, like a gateway that gave up. */
      readonly asks?: boolean
      /** Closes the connection afterwards. */
      readonly closes?: boolean
    }
  /** Closes the connection without a response; the request is forwarded if `asks`. */
  | { readonly kind: 'drop'; readonly asks?: boolean }
  /** Leaves the client without a response; the request is forwarded if `asks`. */
  | { readonly kind: 'silence'; readonly asks?: boolean }
  /** Forwards the request with another Idempotency-Key. */
  | { readonly kind: 'key'; readonly key: string }
  /** Forwards the request later. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Closes the connection after this number of bytes of the body; `last` also ends the proxy. */
  | { readonly kind: 'cut'; readonly afterBytes: number; readonly last?: boolean }
  /** Forwards what it gathered at this interval; null: only the complete response. */
  | { readonly kind: 'lumps'; readonly everyMs: number | null }

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly body: string
  readonly headers: IncomingMessage['headers']
}

/**
 * A proxy that forwards every piece as it arrives, and sometimes disturbs one. `ended` is called once the
 * response was forwarded.
 */
export async function roughRoad(
  target: () => string,
  disturb: (request: ReceivedRequest) => Disturbance | undefined,
  ended: (headers: ReceivedRequest['headers']) => void = () => {},
): Promise<TestHost> {
  const road = await listen((request, response) => {
    response.on('close', () => ended(request.headers))
    pass(request, response, target(), disturb)
      .then((made) => (made?.kind === 'cut' && made.last ? road.close() : undefined))
      .catch(() => response.destroy())
  })
  return road
}

async function pass(
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
  disturb: (request: ReceivedRequest) => Disturbance | undefined,
): Promise<Disturbance | undefined> {
  const { method = 'GET', url: path = '/', headers } = request
  const body = await readBody(request)
  const made = disturb({ method, path, headers, body: body.toString() })
  if (made?.kind === 'delay') await setTimeout(made.ms)
  const key = made?.kind === 'key' ? { 'idempotency-key': made.key } : {}
  const sent = { method, headers: { ...headers, ...key } }
  const forward = () => ask(`${target}${path}`, sent, body)
  if (made?.kind === 'status' || made?.kind === 'drop' || made?.kind === 'silence') {
    if (made.asks === true) await readBody(await forward())
    inPlace(made, response)
    return made
  }
  const answer = await forward()
  response.writeHead(answer.statusCode ?? 502, answer.headers)
  response.flushHeaders()
  if (made?.kind === 'cut') await cutting(answer, response, made.afterBytes)
  else if (made?.kind === 'lumps') await inLumps(answer, response, made.everyMs)
  else {
    for await (const piece of answer) response.write(piece)
    response.end()
  }
  return made
}

function inPlace(
  made: Extract<Disturbance, { kind: 'status' | 'drop' | 'silence' }>,
  response: ServerResponse,
) {
  if (made.kind === 'silence') return
  if (made.kind === 'drop') return void response.destroy()
  const message = `${made.status} from the gateway`
  const [type, text] =
    made.form === 'json'
      ? ['application/json', JSON.stringify({ error: { message } })]
      : ['text/html', `<html><h1>${message}</h1></html>`]
  const closing = made.closes && { connection: 'close' }
  response.writeHead(made.status, { 'content-type': type, ...closing }).end(text)
}

async function cutting(
  answer: AsyncIterable<Buffer>,
  response: ServerResponse,
  afterBytes: number,
): Promise<void> {
  let left = afterBytes
  for await (const piece of answer) {
    await written(response, piece.subarray(0, left))
    left -= piece.length
    if (left <= 0) return void response.destroy()
  }
  response.end()
}

async function inLumps(
  answer: AsyncIterable<Buffer>,
  response: ServerResponse,
  everyMs: number | null,
): Promise<void> {
  let held: Buffer[] = []
  const flush = () => {
    if (held.length > 0) response.write(Buffer.concat(held))
    held = []
  }
  const timer = everyMs === null ? undefined : setInterval(flush, everyMs)
  for await (const piece of answer) held.push(piece)
  clearInterval(timer)
  flush()
  response.end()
}

/** A destroyed response loses the bytes that it has not sent yet. */
async function written(response: ServerResponse, piece: Buffer): Promise<void> {
  if (piece.length > 0) await new Promise((resolve) => response.write(piece, resolve))
}
