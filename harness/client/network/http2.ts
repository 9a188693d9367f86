// biome-ignore-all lint/style/noExcessiveLinesPerFile: one protocol client
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionOptions,
  connect,
  constants,
} from 'node:http2'
import type { Socket } from 'node:net'
import type { Header } from '../../../contract/index.ts'
import type { Conversation } from '../conversation.ts'
import { http2ErrorNames } from './failures.ts'
import { keepAliveMs, pairs } from './http1.ts'

/** Maximum streams on one connection, even if the server allows more. */
const maxStreams = 100

/** Connections that are tried for one request. */
const maxConnects = 3

const initialWindowBytes = 256 * 1024

interface Connection {
  readonly session: ClientHttp2Session
  streams: number
  idle: NodeJS.Timeout | undefined
  /** Error below HTTP/2. */
  error: Error | undefined
}

/**
 * Speaks HTTP/2 with node:http2, many streams on a connection. undici reports a stream that its
 * peer reset with CANCEL or NO_ERROR as one that came to its regular end (8.12), so a cut response
 * would pass for a whole one.
 */
export function createHttp2(open: (url: URL) => Promise<Socket>) {
  const connections = new Map<string, Connection[]>()
  const opening = new Map<string, Promise<void>>()

  function adopt(origin: string, socket: Socket): void {
    // The types lack this field for clients (documentation of http2.connect).
    const options: ClientSessionOptions & { readonly strictSingleValueFields: boolean } = {
      createConnection: () => socket,
      // A gateway may require a second Authorization header.
      strictSingleValueFields: false,
      settings: { enablePush: false, initialWindowSize: initialWindowBytes },
    }
    const session = connect(origin, options)
    const made: Connection = { session, streams: 0, idle: undefined, error: undefined }
    const all = connections.get(origin) ?? []
    connections.set(origin, [...all, made])
    for (const emitter of [session, socket]) {
      emitter.on('error', (error: Error) => {
        made.error ??= error
      })
    }
    session.on('close', () => {
      clearTimeout(made.idle)
      // A server that has sent GOAWAY may keep its side open, and with it ours.
      socket.destroy()
      const others = connections.get(origin)?.filter((other) => other !== made) ?? []
      connections.set(origin, others)
    })
  }

  async function connectionTo(url: URL): Promise<Connection> {
    for (let tries = 0; tries < maxConnects; tries += 1) {
      const free = connections.get(url.origin)?.find(hasRoom)
      if (free !== undefined) return free
      const pending =
        opening.get(url.origin) ??
        open(url)
          .then((socket) => adopt(url.origin, socket))
          .finally(() => opening.delete(url.origin))
      opening.set(url.origin, pending)
      await pending
    }
    throw closed('the target closes every HTTP/2 connection immediately')
  }

  async function send(conversation: Conversation, refusals = 0): Promise<void> {
    const connection = await connectionTo(new URL(conversation.outgoing.request.url))
    if (conversation.isOver) return
    const again = () => {
      if (refusals > 0 || conversation.hasHead || conversation.isOver) return false
      send(conversation, refusals + 1).catch((error) => conversation.fail(error))
      return true
    }
    sendRequest(connection, conversation, again)
  }

  return {
    /** Sends on an open connection or a new one; rejects if none can be made. */
    send: (conversation: Conversation) => send(conversation),
    adopt,
    close(): void {
      for (const { session } of [...connections.values()].flat()) session.destroy()
    },
  }
}

/** `again` resends a request that the server reports as not processed. @throws the error of Node for invalid headers */
function sendRequest(
  connection: Connection,
  conversation: Conversation,
  again: () => boolean,
): void {
  const { body } = conversation.outgoing.request
  const headers = requestHeaders(conversation)
  const stream = connection.session.request(headers, { endStream: body === null })
  connection.streams += 1
  clearTimeout(connection.idle)
  let failure: Error | undefined
  stream.on('response', (_headers, _flags, raw: unknown) => {
    const all = pairs(Array.isArray(raw) ? raw.map(String) : [])
    const status = Number(all.find(([name]) => name === ':status')?.[1])
    const fields = all.filter(([name]) => !name.startsWith(':'))
    // Misdirected: the next requests take another connection (RFC 9110, 15.5.20).
    if (status === 421) connection.session.close()
    conversation.answer(status, fields, 'h2')
    // Not earlier: data that arrives with the headers would be reported before them.
    stream.on('data', (bytes: Buffer) => conversation.data(bytes))
  })
  stream.on('end', () => {
    // The end of the readable side follows a reset as well.
    if (stream.rstCode === constants.NGHTTP2_NO_ERROR && conversation.hasHead) conversation.end()
  })
  stream.on('error', (error) => {
    failure = error
  })
  stream.on('close', () => {
    release(connection)
    if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM && again()) return
    conversation.fail(endOf(stream, connection, failure))
  })
  conversation.sending(() => stream.close(constants.NGHTTP2_CANCEL))
  if (body !== null) stream.end(body)
}

function release(connection: Connection): void {
  connection.streams -= 1
  if (connection.streams > 0) return
  connection.idle = setTimeout(() => connection.session.close(), keepAliveMs)
  connection.idle.unref()
}

function hasRoom({ session, streams }: Connection): boolean {
  if (session.closed || session.destroyed) return false
  const allowed = session.remoteSettings.maxConcurrentStreams ?? maxStreams
  return streams < Math.max(1, Math.min(allowed, maxStreams))
}

/** Fields that HTTP/2 does without (RFC 9113, section 8.2.2). */
const connectionFields = new Set([
  'connection',
  'host',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
])

/** Headers as pairs in one flat list, so that a field may occur twice. */
function requestHeaders({ outgoing }: Conversation): string[] {
  const { method, url, headers, body } = outgoing.request
  const { host, pathname, search, protocol } = new URL(url)
  const lower = headers.map(([name, value]): Header => [name.toLowerCase(), value])
  const pseudo: Header[] = [
    [constants.HTTP2_HEADER_METHOD, method],
    [constants.HTTP2_HEADER_SCHEME, protocol.slice(0, -1)],
    [constants.HTTP2_HEADER_AUTHORITY, lower.find(([name]) => name === 'host')?.[1] ?? host],
    [constants.HTTP2_HEADER_PATH, `${pathname}${search}`],
  ]
  const hasLength = lower.some(([name]) => name === 'content-length')
  const length: Header[] =
    body === null || hasLength ? [] : [['content-length', String(body.length)]]
  const fields = lower.filter(([name]) => !connectionFields.has(name))
  return [...pseudo, ...fields, ...length].flat()
}

/** Cause of a stream's irregular end. */
function endOf(
  stream: ClientHttp2Stream,
  { session, error }: Connection,
  failure: Error | undefined,
): Error {
  // With TLS 1.3, a missing client certificate is reported only after the handshake.
  if (error && 'code' in error && String(error.code).startsWith('ERR_SSL_')) return error
  if (session.destroyed || session.closed) {
    const code = failure === undefined ? undefined : stream.rstCode
    return code === undefined || code === constants.NGHTTP2_NO_ERROR
      ? closed('the connection is closed by the target')
      : closed(`the target closes the HTTP/2 connection: ${nameOf(code)}`)
  }
  // One stream was reset, by the peer or because of what it sent; the connection stays open.
  const message = `the HTTP/2 stream is reset: ${nameOf(stream.rstCode ?? 0)}`
  return Object.assign(new Error(message), { code: 'HTTP2_STREAM_RESET' })
}

function closed(message: string): Error {
  return Object.assign(new Error(message), { code: 'HTTP2_CONNECTION_CLOSED' })
}

/** `CANCEL (8)` */
function nameOf(code: number): string {
  return `${http2ErrorNames[code] ?? 'unknown code'} (${code})`
}
