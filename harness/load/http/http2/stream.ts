import { type ClientHttp2Stream, constants, type OutgoingHttpHeaders } from 'node:http2'
import type { Header, WireRequest } from '../../../../contract/index.ts'
import type { RunClock } from '../../clock.ts'
import { type AnswerSink, type Channel, Http2Error, type Http2Figures } from '../channel.ts'
import { addressOf } from '../wire-request.ts'
import type { Http2Connection } from './connection.ts'

/** Maximum number of attempts of one request; only unprocessed requests are repeated. */
const maxAttempts = 3

/** Source of the connections of a stream. */
export interface ConnectionSource {
  /** Requests a connection with room, now or later, through `assign` or `reject`. */
  readonly request: (stream: Http2Stream) => void
  /** It no longer needs a connection. */
  readonly cancel: (stream: Http2Stream) => void
}

/** One request and its answer over a stream of an HTTP/2 connection (RFC 9113, section 8). */
export class Http2Stream implements Channel {
  readonly #clock: RunClock
  readonly #source: ConnectionSource
  readonly #figures: Http2Figures
  readonly #settled = Promise.withResolvers<void>()
  readonly settled = this.#settled.promise
  #connection: Http2Connection | undefined
  #request: WireRequest | undefined
  #sink: AnswerSink | undefined
  #stream: ClientHttp2Stream | undefined
  #attempts = 0
  #rejection: Error | undefined

  /** @param figures in which it counts its resets */
  constructor(clock: RunClock, source: ConnectionSource, figures: Http2Figures) {
    this.#clock = clock
    this.#source = source
    this.#figures = figures
    source.request(this)
  }

  /** A connection has room for it. */
  assign(connection: Http2Connection): void {
    this.#connection = connection
    this.#settled.resolve()
    this.#send()
  }

  /** Ends the stream: no connection will be available. */
  reject(error: Error): void {
    this.#rejection = error
    this.#settled.resolve()
    this.#fail(error)
  }

  send(request: WireRequest, sink: AnswerSink): void {
    this.#request = request
    this.#sink = sink
    const refusal = this.#rejection
    if (refusal !== undefined) queueMicrotask(() => this.#fail(refusal))
    else this.#send()
  }

  pause(): void {
    this.#stream?.pause()
  }

  resume(): void {
    this.#stream?.resume()
  }

  abandon(): void {
    this.#sink = undefined
    this.#source.cancel(this)
    this.#stream?.close(constants.NGHTTP2_CANCEL)
  }

  #send(): void {
    const [connection, request, sink] = [this.#connection, this.#request, this.#sink]
    if (connection === undefined || request === undefined || sink === undefined) return
    this.#attempts += 1
    const first = this.#attempts === 1
    // A retry keeps the lateness of its first dispatch.
    if (first) sink.sent(this.#clock.now(), connection.streams === 0 ? connection.readyAt : null)
    if (this.#sink !== sink) return
    try {
      this.#listen(connection.open(headersOf(request), request.body), connection)
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #listen(stream: ClientHttp2Stream, connection: Http2Connection): void {
    this.#stream = stream
    let whole = false
    stream.on('response', (headers, _flags, raw: unknown) => {
      this.#pass((sink) => sink.head(headers[':status'] ?? 0, headerPairs(raw), connection.readAt))
      stream.on('data', (bytes: Buffer) =>
        this.#pass((sink) => sink.data(bytes, connection.readAt)),
      )
    })
    stream.once('end', () => {
      whole = true
      this.#pass((sink) => {
        this.#sink = undefined
        sink.end(connection.readAt)
      })
    })
    // The connection reports the reason when the stream is closed.
    stream.on('error', () => {})
    stream.once('close', () => {
      if (!whole) this.#ended(connection, stream)
    })
  }

  #ended(connection: Http2Connection, stream: ClientHttp2Stream): void {
    if (this.#sink === undefined) return
    const why = connection.failureOf(stream)
    if (!(why instanceof Http2Error)) {
      this.#fail(why)
      return
    }
    if (why.reset) this.#figures.resets += 1
    if (!why.unprocessed || this.#attempts >= maxAttempts) {
      this.#fail(why)
      return
    }
    this.#figures.resent += 1
    this.#connection = undefined
    this.#source.request(this)
  }

  /** Passes a part of the response to the sink, if there still is one. */
  #pass(part: (sink: AnswerSink) => void): void {
    const sink = this.#sink
    if (sink === undefined) return
    try {
      part(sink)
    } catch (error) {
      this.abandon()
      sink.internalError(error)
    }
  }

  #fail(error: Error): void {
    const sink = this.#sink
    this.#sink = undefined
    sink?.failed(error, this.#clock.now())
  }
}

/** HTTP/1.1 headers that do not exist in HTTP/2 (RFC 9113, section 8.2.2), and `host` (8.3.1). */
const omittedHeaders: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'host'],
])

function headersOf({ method, url, headers, body }: WireRequest): OutgoingHttpHeaders {
  const { host, origin, path } = addressOf(url)
  const all: OutgoingHttpHeaders = {
    ':method': method,
    ':scheme': origin.startsWith('https:') ? 'https' : 'http',
    ':authority': host,
    ':path': path,
  }
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    if (!omittedHeaders.has(key)) all[key] = value
  }
  if (body !== null) all['content-length'] = String(body.length)
  return all
}

/** Headers as received, in their order, without pseudo-headers. */
function headerPairs(raw: unknown): Header[] {
  const flat = Array.isArray(raw) ? raw.map(String) : []
  const pairs: Header[] = []
  for (let at = 0; at + 1 < flat.length; at += 2) {
    const name = flat[at] ?? ''
    if (!name.startsWith(':')) pairs.push([name.toLowerCase(), flat[at + 1] ?? ''])
  }
  return pairs
}
