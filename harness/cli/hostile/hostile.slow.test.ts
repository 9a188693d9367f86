import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { targetFixture } from '../../../fixtures/files.ts'
import { type Patch, startReferenceServer } from '../../../reference-server/index.ts'
import {
  ended,
  forward,
  listening,
  pour,
  readBody,
} from '../../client/test-support/listen-on-loopback.ts'
import { workplace } from '../test-support/chatgen.ts'

/** Broken or hostile targets, with the real CLI: docs/limits.md. Tests of the client and of scenarios cover each limit. */

const key = 'sk-hostile-target-4711'
vi.setConfig({ testTimeout: 180_000 })

const maxMemoryMb = 500
const runMs = 5_000

const service = await startReferenceServer({ keys: [key] })
afterAll(() => service.close())

const streams = ({ method, body }: ReceivedRequest) =>
  method === 'POST' && body.includes('"stream":true')
const reads = ({ method }: ReceivedRequest) => method === 'GET'
const history = ({ method, path }: ReceivedRequest) =>
  method === 'GET' && path.endsWith('/v3/message')

type Limits = Readonly<Record<string, number>>

describe('a full check of a target that sends', () => {
  const all = () => true
  /** Limits of a target that sends little, for which a run only waits. */
  const brief = { timeoutMs: 1_000, runMs: 3_000 }

  test.each<[string, (request: ReceivedRequest) => boolean, Answer, Limits?]>([
    ['streams without end', streams, endlessEvents],
    ['headers without end', history, endlessHeaders],
    ['bodies without end', reads, endlessBody],
    ['pages of 20,000 rows', history, body(historyPage(20_000))],
    ['a byte every 100 ms', streams, drip, { ...brief, timeoutMs: 500 }],
    ['early hints without a response', reads, earlyHints, brief],
    ['nothing', all, () => {}, brief],
    ['an invalid Retry-After', all, refusal('soon')],
  ])('%s stays within time and memory', async (_, asks, answer, limits = {}) => {
    await wholeCheck(await startFront(asks, answer), limits)
  })

  test('20,000 events in each answer stays within time and memory', async () => {
    const server = ended(await startReferenceServer({ keys: [key], patch: longAnswers(20_000) }))
    await wholeCheck(server.url, {})
  })

  test('more than limits.runBytes ends with that reason', async () => {
    const says = /more than 50000 bytes in this run.*: raise limits\.runBytes/
    await wholeCheck(service.url, { runBytes: 50_000, runMs: 120_000 }, says)
  })

  async function wholeCheck(
    baseUrl: string,
    limits: Limits,
    says = /VIOLATED|INCOMPLETE|is too busy to answer|does not answer/,
  ): Promise<void> {
    const { otherKey: _, ...profile } = parse(targetFixture().text)
    const own = { ...profile, baseUrl, limits: { runMs, ...limits } }
    const files = { 'target.yaml': JSON.stringify(own) }
    const ended = await measured('check --target target.yaml', files)
    expect([1, 3, 5], ended.output).toContain(ended.code)
    expect(ended.output).not.toContain('internal error')
    expect(ended.output.replaceAll(/\s+/g, ' ')).toMatch(says)
    expect(ended.peakMb).toBeLessThan(maxMemoryMb)
    expect(ended.seconds).toBeLessThan(runMs / 1000 + 30)
  }
})

describe('chatgen init of a target that sends', () => {
  test.each([
    ['a Retry-After of years', () => true, refusal('999999999')],
    ['bodies without end', reads, endlessBody],
    ['JSON 100,000 levels deep', reads, body(`${'{"a":['.repeat(50_000)}${']}'.repeat(50_000)}`)],
  ])('%s ends', async (_, asks, answer) => {
    const ended = await measured(`init ${await startFront(asks, answer)} --timeout 20000`)
    expect(ended.signal, ended.output).toBeNull()
    expect([0, 3], ended.output).toContain(ended.code)
    expect(ended.peakMb).toBeLessThan(maxMemoryMb)
  })
})

/** Runs the real CLI; returns the peak memory of its process in MB too, as the kernel reports it. */
async function measured(line: string, files = {}) {
  const startedAt = performance.now()
  const { child, ended } = workplace({ CHATGEN_API_KEY: key }, files).start(line)
  let peakMb = 0
  const look = setInterval(() => {
    peakMb = Math.max(peakMb, peakOf(child.pid ?? 0))
  }, 20)
  const timer = setTimeout(() => child.kill('SIGKILL'), 150_000)
  const { code, signal, stdout, stderr } = await ended
  clearInterval(look)
  clearTimeout(timer)
  const seconds = (performance.now() - startedAt) / 1000
  return { code, signal, seconds, peakMb, output: stdout + stderr }
}

/** `VmHWM` of Linux; 0 once the process is gone. */
function peakOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024)
  } catch {
    return 0
  }
}

const stream = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n'
const json = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n'

/** Events of the surface that is asked, in blocks of 500. */
const endlessEvents: Answer = (socket, { path }) => {
  const event = path.includes('/openai/') ? chunkEvent : deltaEvent
  pour(socket, stream, Array.from({ length: 500 }, (_, at) => event(at)).join(''))
}

/** An unstreamed body that never ends. */
const endlessBody: Answer = (socket) => pour(socket, `${json}{"a":"`, 'x'.repeat(1 << 20))

const endlessHeaders: Answer = (socket) =>
  pour(socket, 'HTTP/1.1 200 OK\r\n', 'x-more: and more\r\n'.repeat(1_000))

/** Endless 103 Early Hints without a final response. */
const earlyHints: Answer = (socket) =>
  pour(socket, '', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(500))

function body(text: string): Answer {
  return (socket) => {
    socket.end(json + text)
  }
}

function refusal(retryAfter: string): Answer {
  const head = `HTTP/1.1 429 Too Many Requests\r\nretry-after: ${retryAfter}\r\ncontent-type: application/json`
  return (socket) => {
    socket.end(`${head}\r\nconnection: close\r\n\r\n{"error":{"message":"no"}}`)
  }
}

/** A byte per interval, forever. */
const drip: Answer = async (socket) => {
  socket.write(stream)
  while (!socket.destroyed) {
    socket.write(':')
    await sleep(100)
  }
}

/** A whole history on one page. */
function historyPage(rows: number): string {
  const item = (at: number) =>
    `{"item_type":"message","item_status":"completed","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"Note ${at}."}]}}`
  const result = Array.from({ length: rows }, (_, at) => item(at))
  return `{"result":[${result.join()}],"pagination":{"cursor":null}}`
}

function chunkEvent(at: number): string {
  const choice = { index: 0, delta: { content: `word${at} ` }, finish_reason: null }
  const chunk = { id: 'c1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm' }
  return `data: ${JSON.stringify({ ...chunk, choices: [choice], padding: 'p'.repeat(120) })}\n\n`
}

function deltaEvent(at: number): string {
  const type = 'response.output_text.delta'
  const place = { item_id: 'm1', output_index: 0, content_index: 0 }
  const content = { delta: `word${at} `, padding: 'p'.repeat(120) }
  const data = { type, sequence_number: at, ...place, ...content }
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}

/** Appends tokens to answers whose length and form the request does not restrict. */
function longAnswers(tokens: number): Patch {
  const more = Array.from({ length: tokens }, (_, at) => ` word${at % 100}`)
  return (parts) => ({
    ...parts,
    model: (request) => {
      const generation = parts.model(request)
      const { form = 'text' } = request.client ?? {}
      const free = request.maxTokens > 2 * tokens && request.stop.length === 0 && form === 'text'
      if (!free || generation.finish !== 'stop') return generation
      const steps = generation.steps.map((step) =>
        step.type === 'message' ? { ...step, fragments: [...step.fragments, ...more] } : step,
      )
      const { tokens: counted } = generation
      return { ...generation, steps, tokens: { ...counted, output: counted.output + tokens } }
    },
  })
}

interface ReceivedRequest {
  readonly method: string
  /** Path without the query. */
  readonly path: string
  readonly body: string
}

/** Answers on the bare socket, without HTTP handling. */
type Answer = (socket: Socket, request: ReceivedRequest) => unknown

/** URL of the service behind a front that answers some requests itself, for one test. */
async function startFront(
  asks: (request: ReceivedRequest) => boolean,
  answer: Answer,
): Promise<string> {
  const { url } = await listening(async (request, response) => {
    const body = await readBody(request)
    const { method = 'GET', url = '/' } = request
    const path = new URL(url, 'http://localhost').pathname
    const received = { method, path, body: body.toString() }
    if (asks(received)) await answer(request.socket, received)
    else forward(service.url, request, response, { body })
  })
  return url
}
