/** Fronts between a load and its target: one counts sockets, one encodes or edits JSON bodies. */
import { createServer as createHttpServer, type IncomingHttpHeaders, request } from 'node:http'
import { connect, createServer } from 'node:net'
import * as zlib from 'node:zlib'
import { urlOf } from '../../client/test-support/listen-on-loopback.ts'

export interface CountingFront {
  readonly url: string
  /** Sockets so far, and the most that were open at once. */
  readonly total: () => number
  readonly most: () => number
}

/** Forwards bytes. A socket counts as open until its end is read. */
export async function countingFront(upstream: string): Promise<CountingFront> {
  const { port, hostname } = new URL(upstream)
  let [open, most, total] = [0, 0, 0]
  const server = createServer({ allowHalfOpen: false }, (socket) => {
    total += 1
    open += 1
    // An earlier socket that the client has closed by now is noticed in the same turn.
    setImmediate(() => {
      most = Math.max(most, open)
    })
    let isOver = false
    const over = () => {
      if (!isOver) open -= 1
      isOver = true
      target.destroy()
    }
    const target = connect({ port: Number(port), host: hostname })
    socket
      .on('error', () => {})
      .on('end', over)
      .on('close', over)
    target.on('error', () => {}).on('close', () => socket.destroy())
    socket.pipe(target).pipe(socket)
  })
  const url = await urlOf(server)
  return { url, total: () => total, most: () => most }
}

export const codings = {
  gzip: zlib.gzipSync,
  br: zlib.brotliCompressSync,
  zstd: zlib.zstdCompressSync,
} as const

export type Coding = keyof typeof codings

/** Encodes JSON bodies, as a compressing proxy does; `edit` changes those of an operation such as `GET /path` before. */
export async function jsonFront(
  upstream: string,
  coding: Coding | null,
  edit: (text: string, operation: string) => string = (text) => text,
): Promise<string> {
  const server = createHttpServer((incoming, response) => {
    const { method, url: path = '/' } = incoming
    const headers = { ...incoming.headers, 'accept-encoding': 'identity' }
    const forwarded = request(new URL(path, upstream), { method, headers }, (answer) => {
      const status = answer.statusCode ?? 500
      if (!String(answer.headers['content-type']).includes('json')) {
        response.writeHead(status, answer.headers)
        answer.pipe(response)
        return
      }
      const pieces: Buffer[] = []
      answer.on('data', (bytes: Buffer) => pieces.push(bytes))
      answer.on('end', () => {
        const text = Buffer.from(edit(Buffer.concat(pieces).toString(), `${method} ${path}`))
        const body = coding === null ? text : codings[coding](text)
        response.writeHead(status, headersOf(answer.headers, coding, body.length)).end(body)
      })
    })
    forwarded.on('error', () => response.destroy())
    incoming.pipe(forwarded)
  })
  return urlOf(server)
}

function headersOf(
  { 'transfer-encoding': _, ...headers }: IncomingHttpHeaders,
  coding: Coding | null,
  length: number,
) {
  const encoded = coding === null ? {} : { 'content-encoding': coding, vary: 'accept-encoding' }
  return { ...headers, ...encoded, 'content-length': length }
}
