/** A proxy in front of the second server that applies faults of the reference server to the wire. */
import type { IncomingMessage } from 'node:http'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { parseJson } from '../../../../contract/json.ts'
import { composeServices } from '../../../../reference-server/compose.ts'
import type { ResponseRun } from '../../../../reference-server/events/run.ts'
import type { ResponseEvent, SseBlock } from '../../../../reference-server/events/sequence.ts'
import type { Call, Reply } from '../../../../reference-server/http/call.ts'
import { errorReply } from '../../../../reference-server/http/errors.ts'
import { writeReply } from '../../../../reference-server/http/writer.ts'
import type { Patch, Services } from '../../../../reference-server/services.ts'
import { openStore } from '../../../../reference-server/store/open-store.ts'
import { plainRun } from '../../../../reference-server/test-support/server.ts'
import { listen, readBody, type TestHost } from '../../../client/test-support/listen-on-loopback.ts'
import { asJson } from './http.ts'

/** Services that affect only the bytes on the wire. */
const wire: ReadonlySet<string> = new Set(['incoming', 'outgoing', 'encode', 'bytes', 'events'])

/** True if a patch affects only the wire, so that it can be applied to any server. */
export function isOfTheWire(patch: Patch): boolean {
  const plain = plainServices(new Map())
  const patched = patch(plain)
  return Object.entries(patched).every(
    ([name, service]) => wire.has(name) || service === plain[name as keyof Services],
  )
}

/** Starts the proxy; `target` is the address of the server behind it. */
export async function startFront(target: string, patch: Patch): Promise<TestHost> {
  const sequences = new Map<string, readonly ResponseEvent[]>()
  const plain = plainServices(sequences)
  const services = patch(plain)

  async function answerOf(call: Call, request: IncomingMessage, bytes: Buffer): Promise<Reply> {
    try {
      const received = services.incoming(call)
      const answer = await forward(target, call, received, request, bytes)
      return edited(call, await replyOf(answer, eventsOf))
    } catch (error) {
      return services.outgoing(call, errorReply(error))
    }
  }

  /** A fault has no effect on a body without the fields that it expects. */
  function edited(call: Call, reply: Reply): Reply {
    try {
      return services.outgoing(call, reply)
    } catch (error) {
      if (error instanceof TypeError) return reply
      throw error
    }
  }

  /** Buffers the whole sequence if a fault edits events. */
  async function* eventsOf(blocks: AsyncIterable<SseBlock>): AsyncGenerator<SseBlock> {
    if (services.events === plain.events) return yield* blocks
    const all = await Array.fromAsync(blocks)
    const events = all.map(({ event = '', data }, sequence_number): ResponseEvent => {
      return { type: event, sequence_number, ...asJson(data) }
    })
    const id = String(asJson(events.at(-1)?.['response'])['id'])
    sequences.set(id, events)
    for (const event of services.events({ ...plainRun, id }))
      yield { event: event.type, data: event }
  }

  return listen(async (request, response) => {
    const bytes = await readBody(request)
    const url = new URL(request.url ?? '/', 'http://localhost')
    const leaving = new AbortController()
    response.on('close', () => leaving.abort())
    const call: Call = {
      id: String(request.headers['x-request-id'] ?? crypto.randomUUID()),
      method: request.method ?? 'GET',
      path: url.pathname,
      params: {},
      headers: request.headers,
      query: Object.fromEntries(url.searchParams),
      body: parseJson(bytes.toString('utf8')),
      file: undefined,
      caller: 'caller-1',
      receivedNs: process.hrtime.bigint(),
      signal: leaving.signal,
    }
    const reply = await answerOf(call, request, bytes)
    await writeReply(response, call, reply, services).catch(() => response.destroy())
  })
}

/** Required by the services, but a fault of the wire never uses it. */
const store = await openStore('memory')

/** `events` are those of the server behind the proxy, by the id of their response. */
function plainServices(sequences: ReadonlyMap<string, readonly ResponseEvent[]>): Services {
  return {
    ...composeServices({ keys: ['sk-front'], seed: 1, store }),
    encode: frame,
    events: (run: ResponseRun) => sequences.get(run.id) ?? [],
  }
}

/** The framing of the second server. */
function frame({ event, data }: SseBlock): Uint8Array {
  const text = typeof data === 'string' ? data : JSON.stringify(data, null, event ? 1 : 0)
  const head = event === undefined ? [] : [`event:${event}`]
  const lines = text.split('\n').map((line) => `data:${line}`)
  return Buffer.from([...head, ...lines, '', ''].join('\r\n'))
}

const ofTheConnection = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'transfer-encoding'],
  'date',
])

async function forward(
  target: string,
  call: Call,
  received: Call,
  request: IncomingMessage,
  bytes: Buffer,
): Promise<Response> {
  const url = new URL(received.path, target)
  for (const [name, value] of Object.entries(asJson(received.query))) {
    if (value !== undefined) url.searchParams.append(name, String(value))
  }
  const body = received.body === call.body ? bytes : Buffer.from(JSON.stringify(received.body))
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    ofTheConnection.has(name) || value === undefined ? [] : [[name, String(value)]],
  )
  return fetch(url, {
    method: received.method,
    headers,
    signal: call.signal,
    ...(body.length === 0 ? {} : { body }),
  })
}

async function replyOf(
  answer: Response,
  eventsOf: (blocks: AsyncIterable<SseBlock>) => AsyncIterable<SseBlock>,
): Promise<Reply> {
  const { status } = answer
  const headers = Object.fromEntries(
    [...answer.headers].filter(([name]) => !ofTheConnection.has(name)),
  )
  const type = answer.headers.get('content-type')?.toLowerCase() ?? ''
  if (answer.body !== null && type.includes('event-stream')) {
    const blocks = blocksOf(answer.body)
    return { status, headers, blocks: type.includes('charset') ? blocks : eventsOf(blocks) }
  }
  const bytes = Buffer.from(await answer.arrayBuffer())
  if (bytes.length === 0) return { status, headers }
  const value = type.includes('json') ? parseJson(bytes.toString('utf8')) : undefined
  return { status, headers, body: value ?? bytes }
}

async function* blocksOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<SseBlock> {
  const texts = body.pipeThrough(new TextDecoderStream())
  for await (const { event, data } of texts.pipeThrough(new EventSourceParserStream())) {
    const named = event === undefined ? {} : { event }
    yield { ...named, data: data === '[DONE]' ? data : asJson(parseJson(data)) }
  }
}
