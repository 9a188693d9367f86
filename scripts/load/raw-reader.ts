/** The least that a client can do: sockets, one stamp per read, and counting. */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ReaderOptions, type ReaderResult, requestOf, Window } from './reader.ts'

/** Keeps `streams` requests in flight, each connection sending its next when one ends. */
export async function readRaw(options: ReaderOptions): Promise<ReaderResult> {
  const window = new Window(options)
  const request = requestBytes(options)
  const buffer = Buffer.allocUnsafe(65_536)
  const completions: Promise<void>[] = []
  for (let index = 0; index < options.streams; index += 1) {
    completions.push(oneConnection(options.url, request, buffer, window))
    await sleep(options.streamMs / options.streams)
  }
  await Promise.all(completions)
  return window.result()
}

const blockEnd = Buffer.from('\n\n')
const bodyEnd = Buffer.from('\r\n0\r\n\r\n')

function oneConnection(
  url: string,
  request: Buffer,
  buffer: Buffer,
  window: Window,
): Promise<void> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    let events = 0
    let headSeen = false
    /** The end of a body may lie across two reads. */
    let tail = Buffer.alloc(0)
    const onRead = (length: number): boolean => {
      const at = process.hrtime.bigint()
      const bytes = buffer.subarray(0, length)
      for (let end = bytes.indexOf(blockEnd); end >= 0; end = bytes.indexOf(blockEnd, end + 2)) {
        events += 1
      }
      window.read(bytes, at)
      if (!headSeen && bytes.toString('latin1', 9, 12) !== '200') window.error('status')
      headSeen = true
      const last = length >= bodyEnd.length ? bytes : Buffer.concat([tail, bytes])
      if (!last.subarray(-bodyEnd.length).equals(bodyEnd)) {
        tail = Buffer.from(last.subarray(-bodyEnd.length))
        return true
      }
      window.streams += 1
      headSeen = false
      tail = Buffer.alloc(0)
      if (window.over) socket.end()
      else socket.write(request)
      return true
    }
    const socket = connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      onread: { buffer, callback: onRead },
    })
    socket.on('connect', () => socket.write(request))
    socket.on('error', ({ message }) => window.error(message))
    socket.on('close', () => {
      if (events === 0) window.error('no event')
      resolve()
    })
  })
}

function requestBytes(options: ReaderOptions): Buffer {
  const { path, headers, body } = requestOf(options)
  const lines = [
    `POST ${path} HTTP/1.1`,
    `host: ${new URL(options.url).host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ]
  return Buffer.from(lines.join('\r\n'))
}
