import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { JournalHead } from '../../../contract/index.ts'
import { type LoadReport, loadReport } from '../../../reports/load/model/report.ts'
import { ask, listen, listening, readBody } from '../../client/test-support/listen-on-loopback.ts'
import { headLine, readJournal } from '../../conformance/cleanup/journal.ts'
import { chatgen, emptyFolder, serving } from './chatgen.ts'

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
  const answer = instead?.(received) ?? (await answerOf(`${target}${path}`, received, body))
  const { 'content-length': _, 'transfer-encoding': __, connection: ___, ...kept } = answer.headers
  response.writeHead(answer.status, { ...kept, ...headers?.(received, answer) })
  for (const piece of pieces?.(received, answer) ?? [answer.body]) {
    response.write(piece)
    // Makes each piece arrive separately.
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  response.end()
}

async function answerOf(url: string, sent: ProxiedRequest, body: Buffer): Promise<Answer> {
  const answer = await ask(url, sent, body)
  const { statusCode: status = 502, headers } = answer
  return { status, headers, body: await readBody(answer) }
}

export type Loaded = Awaited<ReturnType<typeof load>>

/** Puts a load on a target with the real CLI, and reads its report. */
export async function load(line: string, folder = emptyFolder()) {
  const ended = await chatgen(`load ${line}`, withKey, folder)
  // On a busy machine a run lasts long enough to log progress.
  expect(ended.stderr.replaceAll(/^load: \w+ \d+ s of .*\n/gm, '')).toBe('')
  return { ...ended, report: reportIn(folder) }
}

export function reportIn(folder: string): LoadReport {
  const text = readFileSync(join(folder, 'chatgen-results', 'report.json'), 'utf8')
  return loadReport.parse(JSON.parse(text))
}

/** The URL of a reference server in a separate process, for one test. */
export async function served(line = ''): Promise<string> {
  return (await serving(`--key ${key} ${line}`)).url
}

/** A v3 surface that creates chats, but never answers a generation or deletion; `waits` resolves with the first of them. */
export async function halfSilentServer() {
  const waits = Promise.withResolvers<void>()
  const { url } = await listening((request, response) => {
    request.resume()
    const isNew = request.method === 'POST' && request.url === '/api/v3/chat'
    if (request.method !== 'GET' && !isNew) {
      waits.resolve()
      return
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(isNew ? { chat: { id: randomUUID() } } : { result: [] }))
  })
  return { url, waits: waits.promise }
}

export const lostName = 'Lost1 chatgen-5eed'
const lost = { event: 'create', kind: 'chat', name: lostName, scenario: 's' }

/** Text of the journal of a run that was killed; by default, one that has created a chat and not its answer. */
export function journalOf(
  baseUrl: string,
  entries: readonly object[] = [lost],
  more: Pick<JournalHead, 'prefixes' | 'keys'> = {},
): string {
  const head = headLine({ tag: 'chatgen-5eed', kit: '0.1.0', baseUrl, ...more }, String)
  return head + entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
}

/** Number of chats that a run has created until now, by its journal. */
export function createdIn(file: string): number {
  if (!existsSync(file) || !readFileSync(file, 'utf8').includes('\n')) return 0
  return readJournal(file).entries.filter(({ event }) => event === 'created').length
}
