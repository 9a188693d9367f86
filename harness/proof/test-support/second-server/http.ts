import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { isObject, type JsonObject, parseJson } from '../../../../contract/json.ts'
import type { Rules, State, User } from './state.ts'

export { asArray as asList, isObject as isJson } from '../../../../contract/json.ts'

export interface Call {
  readonly rules: Rules
  readonly state: State
  readonly user: User
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Method and path with `{id}` for an identifier, for example `GET /api/v3/chat/{id}`. */
  readonly route: string
  /** Identifier of the path. */
  readonly id: string
  readonly query: URLSearchParams
  readonly bytes: Buffer
  /** The JSON body as received; empty if it is not a JSON object. */
  readonly raw: Json
}

/** An answer other than 2xx. */
export class Refusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export const isCompatible = ({ route }: Pick<Call, 'route'>) => route.includes('/api/openai')

/** Every JSON answer repeats the whole request, headers included, in a separate field. */
export function echo({ request, raw }: Pick<Call, 'request' | 'raw'>): Json {
  const { method, url, headers } = request
  return { method, url, headers, body: raw, ...raw }
}

export function sendJson(call: Call, status: number, body: Json): void {
  const payload = { x_request: echo(call), ...call.rules.answers(body) }
  call.response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' })
  call.response.end(`${JSON.stringify(payload, null, 1)}\n`)
}

export function sendNothing({ response }: Call, status = 204): void {
  response.writeHead(status).end()
}

export function sendRefusal(call: Call, { status, message: say }: Refusal): void {
  const markup = JSON.stringify(echo(call)).replaceAll('<', '&lt;')
  const [type, text] = isCompatible(call)
    ? ['application/json', JSON.stringify({ detail: [{ say }], x_request: echo(call) })]
    : ['application/xml', `<fault><say>${say}</say><request>${markup}</request></fault>`]
  const challenge = status === 401 && { 'www-authenticate': 'Bearer realm="harbour"' }
  call.response.writeHead(status, { ...challenge, 'content-type': type }).end(text)
}

/** The chat that a form names, and its file. */
export async function readForm({ request, bytes }: Call) {
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  const form = await new Response(new Uint8Array(bytes), { headers })
    .formData()
    .catch(() => undefined)
  if (form === undefined) throw new Refusal(415, 'a multipart form is wanted')
  const file = [...form.values()].findLast((value) => typeof value !== 'string')
  if (file === undefined) throw new Refusal(422, 'a file part is wanted')
  const { name, type } = file
  return { chatId: form.get('chat_id'), name, type, bytes: Buffer.from(await file.arrayBuffer()) }
}

/** Refuses a body that is not a JSON object. */
export function bodyOf(call: Call): Json {
  const value = parseJson(call.bytes.toString('utf8'))
  if (!isObject(value)) throw new Refusal(400, 'the body is not a JSON object')
  return value
}

/** Lines end with CRLF, JSON is spread over several lines, and every block comes in two segments. */
export async function sendEvents(call: Call, events: readonly Json[]): Promise<void> {
  const blocks = events.map((event) => {
    const lines = JSON.stringify(event, null, 1).split('\n')
    return [`event:${event['type']}`, ...lines.map((line) => `data:${line}`), '', ''].join('\r\n')
  })
  await write(call, 'text/event-stream', blocks)
}

export async function sendChunks(call: Call, chunks: readonly Json[]): Promise<void> {
  const blocks = chunks.map((chunk) => `data:${JSON.stringify(chunk)}\r\n\r\n`)
  await write(call, 'Text/Event-Stream;charset=utf-8', [...blocks, 'data:[DONE]\r\n\r\n'])
}

async function write({ response }: Call, type: string, blocks: readonly string[]): Promise<void> {
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' })
  response.write(': harbour\r\n\r\n')
  for (const text of blocks) {
    if (response.destroyed) return
    const bytes = Buffer.from(text)
    const middle = Math.floor(bytes.length * 0.6)
    response.write(bytes.subarray(0, middle))
    response.write(bytes.subarray(middle))
    await pause(3)
  }
  response.end()
}

export type Json = JsonObject

export function asJson(value: unknown): Json {
  return isObject(value) ? value : {}
}

export function asText(value: unknown): string {
  return isText(value) ? value : ''
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

export function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText)
}
