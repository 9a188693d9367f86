import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseJson } from '../../contract/index.ts'
import { targetFixture } from '../../fixtures/files.ts'
import { listen, readBody } from '../client/test-support/listen-on-loopback.ts'
import { loadProfile } from '../conformance/profile/index.ts'
import type { Attempt } from './runs/run-target.ts'

const recordedId = '3f0c8a52-6f0b-4a5e-9d0e-0f3a1b9a7c11'

const recordedCompletion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_760_000_000,
  model: 'svc-main-model',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Blue.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Servers that implement nothing of the service. None of them may prove a requirement. */
export const nullServers: Readonly<Record<string, Handler>> = {
  '200 with an empty object': always(200, 'application/json', '{}'),
  '200 with null': always(200, 'application/json', 'null'),
  '400 for everything': always(400, 'application/json', '{"error":{"message":"bad request"}}'),
  '403 on one route in three': byRoute([403, 404, 400]),
  '404 for everything': always(404, 'application/json', '{"error":{"message":"not found"}}'),
  '500 with JSON': always(500, 'application/json', '{"error":{"message":"internal error"}}'),
  '503 without Retry-After': always(503, 'text/plain', 'come back later'),
  'a page of HTML': always(200, 'text/html', '<!doctype html><title>Welcome</title><p>It works.'),
  'an empty 204': always(204, undefined, ''),
  'an echo of the body': echoing(200, (_, body) => body),
  'an echo of everything, in members of its own': echoing(200, (it) =>
    JSON.stringify({ ...it, request: it, x_settings: it.body, result: [it], data: [it] }),
  ),
  'an echo of everything, member by member': echoing(200, ({ body, query, headers, ...rest }) =>
    JSON.stringify({ ...headers, ...query, ...Object(body), ...rest }),
  ),
  'an echo of everything, as a refusal': echoing(400, (it) =>
    JSON.stringify({ error: { message: 'no', ...it } }),
  ),
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

/**
 * Requirements that a fixed answer of the right form satisfies: those on the form, and those that a field is
 * accepted. None of them may depend on the text of an answer.
 */
const provenByForm: Readonly<Record<string, readonly string[]>> = {
  [nameOf('one recorded completion for every POST')]: [
    ...ids('OAI-CHAT', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15),
    ...ids('OAI-TEMP', 1),
    ...ids('OAI-TOPP', 1),
    ...ids('OAI-MODELS', 2, 3),
  ],
  [nameOf('one recorded response for every POST')]: ids('V3-ONE', 1, 3, 4, 6, 8, 10),
}

export const nullServerNames: readonly string[] = Object.keys(nullServers).map(nameOf)

/** Requirements that a null server may pass. */
export function provenBy(name: string): readonly string[] {
  return provenByForm[name] ?? []
}

/** Servers that implement nothing of the document: no required requirement may pass against them. */
export function nullAttempts(): Attempt[] {
  return Object.entries(nullServers).map(([name, handler]) => ({
    kind: 'null',
    name: nameOf(name),
    open: async () => {
      const { url: baseUrl, close } = await listen(handler)
      const environment = { CHATGEN_API_KEY: 'sk-null-0001', CHATGEN_OTHER_KEY: 'sk-null-0002' }
      const overrides = { baseUrl, limits: { timeoutMs: 300, settleMs: 0 } }
      return { profile: loadProfile(targetFixture(), environment, overrides), close }
    },
    selection: { profile: 'full', only: [], skip: [] },
  }))
}

/** `null-an-echo-of-the-body`. */
function nameOf(server: string): string {
  return `null-${server.toLowerCase().replaceAll(/[^a-z\d]+/g, '-')}`
}

function ids(area: string, ...numbers: readonly number[]): string[] {
  return numbers.map((number) => `${area}-${String(number).padStart(2, '0')}`)
}

/** Answers with the request, or with its raw body. */
function echoing(
  status: number,
  write: (echo: ReturnType<typeof echoOf>, body: Buffer) => string | Buffer,
): Handler {
  return (request, response) => {
    const answered = readBody(request).then((body) =>
      always(status, 'application/json', write(echoOf(request, body), body))(request, response),
    )
    answered.catch(() => {})
  }
}

function echoOf({ method, url = '/', headers }: IncomingMessage, bytes: Buffer) {
  const { pathname: path, searchParams } = new URL(url, 'http://localhost')
  const query = Object.fromEntries(searchParams)
  const text = bytes.toString()
  return { method, url, path, query, headers, body: parseJson(text) ?? text }
}

function always(status: number, type: string | undefined, body: string | Uint8Array): Handler {
  return (request, response) => {
    request.resume()
    response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body)
  }
}

function byRoute(statuses: readonly number[]): Handler {
  return (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    const status = statuses[path.length % statuses.length] ?? 404
    always(status, 'text/plain', 'no')(request, response)
  }
}

function forEveryPost(type: string, body: string): Handler {
  const [post, other] = [always(200, type, body), always(200, 'application/json', '{}')]
  return (request, response) => (request.method === 'POST' ? post : other)(request, response)
}

function recordedResponse(status: string) {
  const content = [{ type: 'output_text', text: 'Blue.', annotations: [] }]
  return {
    id: recordedId,
    object: 'response',
    status,
    output: [{ id: 'm1', type: 'message', role: 'assistant', status: 'completed', content }],
  }
}

function recordedEvents(): string {
  const item = { id: 'm1', type: 'message', role: 'assistant', status: 'in_progress', content: [] }
  const events = [
    { type: 'response.created', response: { ...recordedResponse('in_progress'), output: [] } },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_text.delta', delta: 'Blue.' },
    { type: 'response.completed', response: recordedResponse('completed') },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

function recordedChunks(): string {
  const { id, created, model } = recordedCompletion
  const head = { id, object: 'chat.completion.chunk', created, model }
  const chunks = [
    { ...head, choices: [{ index: 0, delta: { role: 'assistant', content: 'Blue.' } }] },
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  ]
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`
}
