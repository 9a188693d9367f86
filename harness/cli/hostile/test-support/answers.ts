import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Patch } from '../../../../reference-server/index.ts'
import {
  forward,
  listening,
  pour,
  readBody,
} from '../../../client/test-support/listen-on-loopback.ts'

const stream = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n'
const json = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n'

/** Events of the surface that is asked, in blocks of 500. */
export const endlessEvents: Answer = (socket, { path }) => {
  const event = path.includes('/openai/') ? chunkEvent : deltaEvent
  pour(socket, stream, Array.from({ length: 500 }, (_, at) => event(at)).join(''))
}

/** An unstreamed body that never ends. */
export const endlessBody: Answer = (socket) => pour(socket, `${json}{"a":"`, 'x'.repeat(1 << 20))

export const endlessHeaders: Answer = (socket) =>
  pour(socket, 'HTTP/1.1 200 OK\r\n', 'x-more: and more\r\n'.repeat(1_000))

/** Endless 103 Early Hints without a final response. */
export const earlyHints: Answer = (socket) =>
  pour(socket, '', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(500))

export function body(text: string): Answer {
  return (socket) => {
    socket.end(json + text)
  }
}

export function status(line: string, headers: readonly string[] = []): Answer {
  return (socket) => {
    const head = [`HTTP/1.1 ${line}`, ...headers, 'content-type: application/json']
    socket.end(`${head.join('\r\n')}\r\nconnection: close\r\n\r\n{"error":{"message":"no"}}`)
  }
}

/** A byte per interval, forever. */
export function drip(everyMs: number): Answer {
  return async (socket) => {
    socket.write(stream)
    while (!socket.destroyed) {
      socket.write(':')
      await sleep(everyMs)
    }
  }
}

export function deep(levels: number): string {
  return `${'{"a":['.repeat(levels / 2)}${']}'.repeat(levels / 2)}`
}

/** A whole history on one page. */
export function historyPage(rows: number): string {
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
export function longAnswers(tokens: number): Patch {
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

export interface ReceivedRequest {
  readonly method: string
  /** Path without the query. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Answers on the bare socket, without HTTP handling. */
export type Answer = (socket: Socket, request: ReceivedRequest) => unknown

/** URL of a service behind a front that answers some requests itself, for one test. */
export async function startFront(
  service: string,
  answerFor: (request: ReceivedRequest) => Answer | undefined,
): Promise<string> {
  const { url } = await listening(async (request, response) => {
    const body = await readBody(request)
    const { method = 'GET', url = '/', headers } = request
    const path = new URL(url, 'http://localhost').pathname
    const received = { method, path, headers, body: body.toString() }
    const answer = answerFor(received)
    if (answer) await answer(request.socket, received)
    else forward(service, request, response, { body })
  })
  return url
}
