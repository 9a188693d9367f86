import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseJson } from '../../../contract/index.ts'
import { readBody } from '../../client/test-support/listen-on-loopback.ts'

const recordedId = '3f0c8a52-6f0b-4a5e-9d0e-0f3a1b9a7c11'

export const recordedCompletion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_760_000_000,
  model: 'svc-main-model',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Blue.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
}

/** Servers that implement nothing of the service. None of them may prove a requirement. */
export const nullServers: Readonly<
  Record<string, (request: IncomingMessage, response: ServerResponse) => void>
> = {
  '200 with an empty object': always(200, 'application/json', '{}'),
  '200 with null': always(200, 'application/json', 'null'),
  '400 for everything': always(400, 'application/json', '{"error":{"message":"bad request"}}'),
  '403 on one route in three': byRoute([403, 404, 400]),
  '404 for everything': always(404, 'application/json', '{"error":{"message":"not found"}}'),
  '500 with JSON': always(500, 'application/json', '{"error":{"message":"internal error"}}'),
  '503 without Retry-After': always(503, 'text/plain', 'come back later'),
  'a page of HTML': always(200, 'text/html', '<!doctype html><title>Welcome</title><p>It works.'),
  'an empty 204': always(204, undefined, ''),
  'an echo of the body': (request, response) => {
    readBody(request).then((body) => answer(response, 200, 'application/json', body), ignore)
  },
  'an echo of everything, in members of its own': (request, response) => {
    echo(request).then((it) => {
      const body = { ...it, request: it, x_settings: it.body, result: [it], data: [it] }
      answer(response, 200, 'application/json', JSON.stringify(body))
    }, ignore)
  },
  'an echo of everything, member by member': (request, response) => {
    echo(request).then(({ body, query, headers, ...rest }) => {
      const all = { ...headers, ...query, ...Object(body), ...rest }
      answer(response, 200, 'application/json', JSON.stringify(all))
    }, ignore)
  },
  'an echo of everything, as a refusal': (request, response) => {
    echo(request).then((it) => {
      answer(response, 400, 'application/json', JSON.stringify({ error: { message: 'no', ...it } }))
    }, ignore)
  },
  'a reset connection': (request) => {
    request.socket.resetAndDestroy()
  },
  'a closed connection': (request) => {
    request.socket.end()
  },
  silence: () => {},
  'silence after the headers': (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
  },
  'a redirect to itself': (request, response) => {
    response.writeHead(307, { location: request.url ?? '/' }).end()
  },
  'one recorded v3 stream for every POST': forEveryPost('text/event-stream', recordedEvents()),
  'one recorded compatible stream for every POST': forEveryPost(
    'text/event-stream',
    recordedChunks(),
  ),
  'one recorded completion for every POST': forEveryPost(
    'application/json',
    JSON.stringify(recordedCompletion),
  ),
  'one recorded response for every POST': forEveryPost(
    'application/json',
    JSON.stringify(recordedResponse('completed')),
  ),
}

async function echo(request: IncomingMessage) {
  const text = Buffer.from(await readBody(request)).toString()
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  return {
    method: request.method,
    url: request.url,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: request.headers,
    body: parseJson(text) ?? text,
  }
}

function always(status: number, type: string | undefined, body: string) {
  return (request: IncomingMessage, response: ServerResponse) => {
    request.resume()
    answer(response, status, type, body)
  }
}

function byRoute(statuses: readonly number[]) {
  return (request: IncomingMessage, response: ServerResponse) => {
    request.resume()
    const path = (request.url ?? '').split('?')[0] ?? ''
    answer(response, statuses[path.length % statuses.length] ?? 404, 'text/plain', 'no')
  }
}

function forEveryPost(type: string, body: string) {
  return (request: IncomingMessage, response: ServerResponse) => {
    request.resume()
    const isPost = request.method === 'POST'
    answer(response, 200, isPost ? type : 'application/json', isPost ? body : '{}')
  }
}

function answer(
  response: ServerResponse,
  status: number,
  type: string | undefined,
  body: string | Uint8Array,
): void {
  response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body)
}

function ignore(): void {}

export function recordedResponse(status: string) {
  const content = [{ type: 'output_text', text: 'Blue.', annotations: [] }]
  return {
    id: recordedId,
    object: 'response',
    status,
    output: [{ id: 'm1', type: 'message', role: 'assistant', status: 'completed', content }],
  }
}

export function recordedEvents(): string {
  const item = { id: 'm1', type: 'message', role: 'assistant', status: 'in_progress', content: [] }
  const events = [
    { type: 'response.created', response: { ...recordedResponse('in_progress'), output: [] } },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_text.delta', delta: 'Blue.' },
    { type: 'response.completed', response: recordedResponse('completed') },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

export function recordedChunks(): string {
  const { id, created, model } = recordedCompletion
  const head = { id, object: 'chat.completion.chunk', created, model }
  const chunks = [
    { ...head, choices: [{ index: 0, delta: { role: 'assistant', content: 'Blue.' } }] },
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  ]
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`
}
