/** A compatible stream on a bare socket, which costs its reader less than an HTTP client. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export const key = 'sk-bench-server-4711'

export interface EventStream {
  /** Complete events so far. */
  readonly events: number
  /** Times of all events by the stamps of the server, in milliseconds; empty without stamps. */
  readonly sentMs: readonly number[]
  close(): void
}

/** @param tokens length of the answer */
export function bodyOf(tokens: number) {
  const content = `Describe a harbour. [[tokens=${tokens}]]`
  return { model: 'SVC-Main', stream: true, messages: [{ role: 'user', content }] }
}

/** Resolves when the response head arrives. */
export async function openStream(
  url: string,
  tokens: number,
  isStamped: boolean,
): Promise<EventStream> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const read = { events: 0, sentMs: [] as number[] }
  socket.on('data', (bytes) => {
    for (let at = bytes.indexOf('\n\n'); at !== -1; at = bytes.indexOf('\n\n', at + 2)) {
      read.events += 1
    }
  })
  if (isStamped) collectStamps(socket, read.sentMs)
  socket.write(requestOf(JSON.stringify(bodyOf(tokens)), isStamped))
  await once(socket, 'data')
  socket.on('error', () => {})
  return Object.assign(read, { close: () => socket.destroy() })
}

function requestOf(body: string, isStamped: boolean): string {
  return [
    'POST /api/openai/chat/completions HTTP/1.1',
    'host: bench',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...(isStamped ? ['x-chatgen-stamps: 1'] : []),
    '',
    body,
  ].join('\r\n')
}

function collectStamps(socket: Socket, into: number[]): void {
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
    for (const [, ns] of text.matchAll(/^: sent (\d+)\n/gm)) into.push(Number(ns) / 1e6)
    text = text.slice(text.lastIndexOf('\n') + 1)
  })
}
