import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { readBody } from '../../../conformance/test-support/listen.ts'
import type { Hooks, Json } from './hooks.ts'

export interface Call {
  readonly hooks: Hooks
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
}

/** Reason why a request is refused. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, text: string) {
    super(text)
    this.status = status
  }
}

export function sendJson({ response }: Call, status: number, body: unknown): void {
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'x-served-by': 'hand' })
    .end(JSON.stringify(body))
}

export function sendText({ response }: Call, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(text)
}

/** Refuses in words on most routes, and in a form of its own, with slashes escaped, on v2. */
export function sendRefusal(call: Call, { status, message }: Refusal): void {
  if (!call.url.pathname.startsWith('/api/v2/')) {
    sendText(call, status, message)
    return
  }
  const body = JSON.stringify({ complaints: [{ because: message }] }).replaceAll('/', '\\/')
  call.response.writeHead(status, { 'content-type': 'application/vnd.complaints+json' }).end(body)
}

/** The body as a JSON object. */
export async function readJson({ request }: Call): Promise<Json> {
  const text = (await readBody(request)).toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Refusal(400, 'this is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal(400, 'an object is wanted')
  }
  return value as Json
}

/** An event stream of blocks of lines, with a heartbeat before the first. */
export async function sendBlocks(
  { hooks, response }: Call,
  blocks: readonly (readonly string[])[],
  type = 'text/event-stream; charset=utf-8',
): Promise<void> {
  response.writeHead(200, { 'content-type': type })
  const held: Buffer[] = [Buffer.from(`: ${'.'.repeat(20)}${hooks.lineEnd}`)]
  for (const [at, lines] of blocks.entries()) {
    const block = [...lines, '', ''].join(hooks.lineEnd)
    held.push(hooks.bytes(Buffer.from(block), at))
    if (!hooks.holdsBack) response.write(Buffer.concat(held.splice(0)))
    if (hooks.gapMs > 0) await sleep(hooks.gapMs)
  }
  response.end(Buffer.concat(held))
}
