/** Many compatible streams at once against one server, with the CPU time and the memory of its process. */

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { ChildServer } from '../../harness/load/child-server.ts'
import { cpuOf, memoryIn } from '../foreign/programs.ts'

/** One stream in twenty has timestamps, which add a cost. */
const stampedOneOf = 20

/**
 * Reads the given number of streams for some seconds.
 * @returns CPU time of the server per event, and milliseconds of each event behind the schedule of the earliest one of its
 * stream
 */
export async function paced(
  { url, pid }: ChildServer,
  { streams, gapMs, seconds }: { streams: number; gapMs: number; seconds: number },
) {
  // The server prepares whole answers: long enough to outlast the opening of all streams.
  const open = await openStreams(url, streams, Math.ceil(((seconds + 20) * 1000) / gapMs))
  const stamped = open.filter((_, index) => index % stampedOneOf === 0)
  const count = () => open.reduce((sum, { events }) => sum + events, 0)
  await delay(1000)
  const [before, eventsBefore] = [cpuOf(pid).seconds, count()]
  const sentBefore = stamped.map(({ sentMs }) => sentMs.length)
  await delay(seconds * 1000)
  const cpuUs = (1e6 * (cpuOf(pid).seconds - before)) / (count() - eventsBefore)
  const errors = stamped.flatMap(({ sentMs }, index) =>
    latenesses(sentMs, sentBefore[index] ?? 0, gapMs),
  )
  for (const stream of open) stream.close()
  return { cpuUs, errors }
}

function latenesses(sentMs: readonly number[], from: number, gapMs: number): readonly number[] {
  const offsets = sentMs.slice(from).map((ms, index) => ms - index * gapMs)
  const earliest = Math.min(...offsets)
  return offsets.map((offset) => offset - earliest)
}

/** Resident memory of the server for each open stream, in bytes. */
export async function memoryOf({ url, pid }: ChildServer, streams: number): Promise<number> {
  const warm = await openStreams(url, 100, 10)
  await delay(500)
  for (const stream of warm) stream.close()
  await delay(500)
  const before = memoryIn(pid, 'VmRSS')
  const open = await openStreams(url, streams, 10)
  await delay(1000)
  const after = memoryIn(pid, 'VmRSS')
  for (const stream of open) stream.close()
  return (after - before) / streams
}

async function openStreams(url: string, streams: number, tokens: number) {
  const open = []
  for (let index = 0; index < streams; index += 50) {
    const batch = Array.from({ length: Math.min(50, streams - index) }, (_, at) =>
      openStream(url, tokens, (index + at) % stampedOneOf === 0),
    )
    open.push(...(await Promise.all(batch)))
    await delay(1)
  }
  return open
}

export const key = 'sk-bench-server-4711'

/** @param tokens length of the answer */
export function bodyOf(tokens: number) {
  const content = `Describe a harbour. [[tokens=${tokens}]]`
  return { model: 'SVC-Main', stream: true, messages: [{ role: 'user', content }] }
}

/** Resolves when the response head arrives; then counts events, and collects their times by the timestamps of the server. */
async function openStream(url: string, tokens: number, isStamped: boolean) {
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
