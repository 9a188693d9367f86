/** A real server on loopback for one test, with a short client API. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { createParser } from 'eventsource-parser'
import { Agent, FormData, fetch } from 'undici'
import { expect, onTestFinished } from 'vitest'
import type { ResponseRun } from '../events/run.ts'
import {
  type ReferenceServer,
  type ReferenceServerOptions,
  startReferenceServer,
} from '../index.ts'
import type { Ids } from '../runtime/random.ts'

export type TestServer = Awaited<ReturnType<typeof testServer>>

interface TestFile {
  readonly name: string
  readonly content: string | Uint8Array<ArrayBuffer>
  readonly type?: string
  readonly part?: string
}

interface TestRequest {
  /** An object is sent as JSON, anything else unchanged. */
  readonly body?: object | string | Uint8Array | FormData
  readonly headers?: Record<string, string>
}

export async function testServer(options: ReferenceServerOptions = {}) {
  /** Internal errors of the server; must be empty at the end of the test. */
  const internalErrors: unknown[] = []
  const server = await startReferenceServer({
    closeDeadlineMs: 500,
    onInternalError: (error) => internalErrors.push(error),
    ...options,
  })
  onTestFinished(async () => {
    await server.close()
    expect(internalErrors).toEqual([])
  })
  const send = (method: string, path: string, request: TestRequest = {}) =>
    sendTo(server, method, path, request)
  const newChat = async (version: 'v2' | 'v3', name: string): Promise<string> =>
    (await send('POST', `/api/${version}/chat`, { body: { name } })).json.id
  return {
    ...server,
    send,
    newChat: (name = 'A chat') => newChat('v3', name),
    newV2Chat: (name = 'An older chat') => newChat('v2', name),
    oneShot: (body: object) =>
      send('POST', '/api/v3/message/one-shot', { body: { model_id: 'svc-main-model', ...body } }),
    /** One file as a form, after the fields. */
    upload: (file: TestFile, fields: Record<string, string> = {}, path = '/api/v3/attachment') => {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.append(name, value)
      const content = new Blob([file.content], { type: file.type ?? 'text/plain' })
      form.append(file.part ?? 'file', content, file.name)
      return send('POST', path, { body: form })
    },
    /** One turn in a chat, by default with a new key. */
    generate: (body: object, headers: Record<string, string> = {}) =>
      send('POST', '/api/v3/message/generate', {
        body: { model_id: 'svc-main-model', ...body },
        headers: { 'idempotency-key': crypto.randomUUID(), ...headers },
      }),
    complete: (prompt: string, body: object = {}) =>
      send('POST', completionsPath, { body: { ...completion(prompt, false), ...body } }),
  }
}

/** No keep-alive, so that every remaining connection is a leak. */
const dispatcher = new Agent({ pipelining: 0 })

async function sendTo(
  server: ReferenceServer,
  method: string,
  path: string,
  { body, headers = {} }: TestRequest,
) {
  const isForm = body instanceof FormData
  const raw = typeof body === 'string' || body instanceof Uint8Array || isForm
  const response = await fetch(server.url + path, {
    dispatcher,
    method,
    headers: {
      authorization: `Bearer ${server.keys[0]}`,
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
  })
  const { status, headers: received } = response
  const content = await response.text()
  const isJson = received.get('content-type')?.includes('json') === true && content !== ''
  const json: Json = isJson ? JSON.parse(content) : undefined
  return { status, headers: received, text: content, json }
}

/** Sequential ids, from 1. */
export function countingIds(): Ids {
  let drawn = 0
  const digits = () => {
    drawn += 1
    return String(drawn).padStart(12, '0')
  }
  return {
    uuid: () => `00000000-0000-4000-8000-${digits()}`,
    tagged: (prefix) => `${prefix}_${digits()}`,
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read events and bodies of any shape
export type Json = any

export function readBlocks(text: string) {
  const blocks: { readonly event: string | undefined; readonly data: string }[] = []
  const parser = createParser({ onEvent: ({ event, data }) => blocks.push({ event, data }) })
  parser.feed(text)
  return blocks
}

/** The events of a v3 stream. */
export function readEvents(text: string): Json[] {
  return readBlocks(text).map(({ data }) => JSON.parse(data))
}

type OpenStream = Awaited<ReturnType<typeof openStream>>

export const completionsPath = '/api/openai/chat/completions'

/** Body of a completion, by default a streamed one. */
export const completion = (content: string, stream = true) => ({
  model: 'SVC-Main',
  messages: [{ role: 'user', content }],
  stream,
})

/** Resolves with the head of the answer, before its body is read. */
export async function openStream(
  server: ReferenceServer,
  path: string,
  body: object,
  headers: Record<string, string> = {},
) {
  const own = { authorization: `Bearer ${server.keys[0]}`, 'content-type': 'application/json' }
  const options = { method: 'POST', agent: false, headers: { ...own, ...headers } }
  const sent = request(server.url + path, options).end(JSON.stringify(body))
  // What goes wrong after the head is an error of the response.
  sent.on('error', () => {})
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { request: sent, response }
}

export const openCompletion = (server: ReferenceServer, prompt: string) =>
  openStream(server, completionsPath, completion(prompt))

/** Reads a few bytes, then disconnects. */
export async function leaveInMidStream({ request: sent, response }: OpenStream): Promise<void> {
  await new Promise((resolve) => response.once('data', resolve))
  response.on('error', () => {})
  sent.destroy()
}

export const readAll = ({ response }: OpenStream): Promise<string> => text(response)

/** Everything that the server sends for some bytes, until it closes the connection. */
export function exchangeBytes({ url }: ReferenceServer, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname, () => socket.write(bytes))
  return text(socket.setEncoding('latin1'))
}

/** A finished run without output, with default settings and without reasoning. */
export const plainRun: ResponseRun = {
  ...{ id: 'resp_1', startedAt: 1, completedAt: 2 },
  decoding: { endsAt: 2, token: () => undefined, all: async () => {} },
  settings: {
    ...{ model: 'svc-main-model', think: false, tools: [], maxTokens: null },
    ...{ temperature: 1, topP: 1, presencePenalty: 0 },
    ...{ instructions: null, stored: true, previousRunId: null },
  },
  ...{ steps: [], finish: 'stop', failure: null },
  tokens: { input: 1, output: 1, reasoning: 0 },
}
