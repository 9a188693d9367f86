import { setTimeout as pause } from 'node:timers/promises'
import type { Call } from './http.ts'
import type { Json } from './json.ts'
import type { StreamEvent } from './state.ts'

/** Lines end with CRLF, JSON is spread over several lines, and every block comes in two segments. */
export async function sendEvents(call: Call, events: readonly StreamEvent[]): Promise<void> {
  const blocks = events.map(({ name, data }) => block(data, [`event:${name}`]))
  await write(call, 'text/event-stream', blocks)
}

export async function sendChunks(call: Call, chunks: readonly Json[]): Promise<void> {
  const blocks = chunks.map((chunk) => `data:${JSON.stringify(chunk)}\r\n\r\n`)
  await write(call, 'Text/Event-Stream;charset=utf-8', [...blocks, 'data:[DONE]\r\n\r\n'])
}

function block(data: Json, head: readonly string[]): string {
  const lines = JSON.stringify(data, null, 1).split('\n')
  return [...head, ...lines.map((line) => `data:${line}`), '', ''].join('\r\n')
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
