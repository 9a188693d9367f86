import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { type Dispatcher, FormData, fetch, request } from 'undici'
import { messageOf } from '../../contract/error-message.ts'
import { parseJson } from '../../contract/json.ts'
import { startReferenceServer } from '../../reference-server/index.ts'
import { documented } from '../../reference-server/openapi/document.ts'
import { allRoutes } from '../../reference-server/surfaces/all-routes.ts'
import { badRequest } from '../../reference-server/test-support/bad-requests.ts'
import { goodWorld } from '../../reference-server/test-support/world.ts'

export interface HostileRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

export interface Outcome {
  /** `4xx`, `no answer`, … */
  readonly kind: string
  readonly problem?: string
}

const batch = 20

/** Requests to every route in turn, without end; the same for the same seed and server. */
export async function* hostileRequests(
  url: string,
  key: string,
  seed: number,
): AsyncGenerator<HostileRequest, undefined> {
  const world = await goodWorld({ send: (...request) => sendGood(url, key, ...request) })
  const local = await startReferenceServer()
  const routes = documented(allRoutes(local.services))
  await local.close()
  for (let round = seed * 1_000_000; ; round += 1) {
    for (const [at, route] of routes.entries()) {
      const some = fc.sample(badRequest(route, world), { numRuns: batch, seed: round * 100 + at })
      for (const each of some) yield { method: route.method, ...each }
    }
  }
}

export async function sendHostile(
  url: string,
  key: string,
  { method, path, headers, body }: HostileRequest,
  dispatcher: Dispatcher,
): Promise<Outcome> {
  const what = `${method} ${path.slice(0, 200)} ${String(body ?? '').slice(0, 200)}`
  try {
    const answer = await request(url + path, {
      dispatcher,
      method,
      headers: { authorization: `Bearer ${key}`, ...headers },
      body: body ?? null,
    })
    const text = await answer.body.text()
    const status = answer.statusCode
    const kind = `${Math.floor(status / 100)}xx`
    if (status < 500 || isOfDatabase(status, text)) return { kind }
    return { kind, problem: `${status} for ${what}: ${text.slice(0, 200)}` }
  } catch (error) {
    const reason = messageOf(error)
    return { kind: 'no answer', problem: `no answer to ${what}: ${reason}` }
  }
}

function isOfDatabase(status: number, text: string): boolean {
  return [503, 507].includes(status) && /"code":"store_(unavailable|full)"/.test(text)
}

const garbageMs = 200

/** Writes a request that is broken on the level of HTTP, and leaves. */
export async function garbage(
  url: string,
  { method, path, body }: HostileRequest,
): Promise<Outcome> {
  const { hostname, port } = new URL(url)
  const noise = Buffer.from(body ?? path)
  const heads = [
    '',
    `${method} ${path}`,
    `${method} ${path} HTTP/9.9\r\n\r\n`,
    `${method} /api/v3/chat HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n`,
    `${method} /api/v3/chat HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`,
    `POST /api/v3/chat HTTP/1.1\r\nhost: x\r\ncontent-length: 99999\r\n\r\n`,
    `GET / HTTP/1.1\r\n${'x'.repeat(20_000)}: y\r\n\r\n`,
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  ]
  const socket = connect(Number(port), hostname)
  const closed = once(socket, 'close').catch(() => {})
  socket.on('error', () => {})
  socket.resume()
  socket.write(heads[noise.length % heads.length] ?? '')
  socket.write(noise)
  await Promise.race([closed, sleep(garbageMs)])
  socket.destroy()
  return { kind: 'garbage' }
}

type Send = Parameters<typeof goodWorld>[0]['send']

async function sendGood(
  url: string,
  key: string,
  method: string,
  path: string,
  { body, headers = {} }: NonNullable<Parameters<Send>[2]> = {},
): Promise<Awaited<ReturnType<Send>>> {
  const isForm = body instanceof FormData
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const { status } = response
  if (status > 299) throw new Error(`${method} ${path}: ${status} ${text}`)
  return { status, headers: response.headers, text, json: parseJson(text) }
}
