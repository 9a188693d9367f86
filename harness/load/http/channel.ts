import type { Header, WireRequest } from '../../../contract/index.ts'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import { addCounts } from '../metrics/samples/histogram.ts'

/** Receives the progress of one request. The last call is `end`, `failed` or `internalError`. */
export interface AnswerSink extends ResponseSink {
  /** The request was written. `readyAt`: time at which the connection opened for it was ready; null on a reused one. */
  sent(at: number, readyAt: number | null): void
  failed(error: Error, at: number): void
  /** An internal error, thrown while the answer was read. */
  internalError(error: unknown): void
}

/** Carries one request: a connection of HTTP/1.1, or a stream of HTTP/2. */
export interface Channel {
  /** Resolves when it is ready to send, or has failed. */
  readonly settled: Promise<void>
  send(request: WireRequest, sink: AnswerSink): void
  /** Stops reading until `resume`. */
  pause(): void
  resume(): void
  /** Closes it without notifying the sink. */
  abandon(): void
}

/**
 * The connections of one thread to one endpoint, over either version of HTTP. A request that finds no
 * channel below the connection limit waits, in order.
 */
export interface ChannelPool {
  readonly httpVersion: 'http1' | 'http2'
  readonly opened: number
  /** Null over HTTP/1.1. */
  readonly http2: Http2Figures | null
  /**
   * Passes so many channels at once, as soon as the limit allows them; returns a function that ends the wait.
   * `own` prefers a connection that carries nothing else, if the limit allows another.
   */
  acquire(use: (...channels: Channel[]) => void, options?: AcquireOptions): () => void
  /** Closes all connections without notice; resolves when their sockets are closed. */
  close(): Promise<void>
}

export interface AcquireOptions {
  /** One by default. */
  readonly count?: number
  readonly own?: boolean
}

type ConnectionFigures = LoadReport['connections']
/** Figures of HTTP/2; those of several workers add up, except `maxAtOnce` and `allowed`. */
export type Http2Figures = NonNullable<ConnectionFigures['http2']>

/** The peer did not send an HTTP/1.1 response. */
export class HttpSyntaxError extends Error {
  override readonly name = 'HttpSyntaxError'
  readonly code = 'E_HTTP_SYNTAX'
}

/** Failure of an HTTP/2 stream or connection, with the error codes of RFC 9113, section 7. */
export class Http2Error extends Error {
  override readonly name = 'Http2Error'
  /** The peer reported that it did not process the request, so it may be sent again. */
  readonly unprocessed: boolean
  /** The peer reset only this stream. */
  readonly reset: boolean

  constructor(message: string, { unprocessed = false, reset = false } = {}) {
    super(message)
    this.unprocessed = unprocessed
    this.reset = reset
  }
}

/** Receives the parts of a response. `at` is the timestamp of the socket read that brought them. */
export interface ResponseSink {
  head(status: number, headers: readonly Header[], at: number): void
  /** The memory is reused after the call. */
  data(bytes: Uint8Array, at: number): void
  end(at: number): void
}

/** Combines the HTTP/2 figures of several threads or shards. */
export function http2Of(parts: readonly Http2Figures[]): Pick<ConnectionFigures, 'http2'> {
  if (parts.length === 0) return {}
  const http2 = { ...noHttp2Figures }
  for (const part of parts) addHttp2Figures(http2, part)
  return { http2 }
}

export const noHttp2Figures: Readonly<Http2Figures> = {
  ...{ streams: 0, maxAtOnce: 0, allowed: null, resets: 0, goaways: 0, resent: 0 },
}

export function addHttp2Figures(sum: Http2Figures, more: Readonly<Http2Figures>): void {
  addCounts(sum, more, ['streams', 'resets', 'goaways', 'resent'])
  sum.maxAtOnce = Math.max(sum.maxAtOnce, more.maxAtOnce)
  // Null means no limit.
  if (more.allowed !== null) sum.allowed = Math.min(sum.allowed ?? more.allowed, more.allowed)
}

interface Waiting {
  readonly count: number
  /** Undefined once the wait has ended. */
  grant: (() => void) | undefined
}

/** Maximum wait for closed sockets, e.g. of a proxy that never answers CONNECT. */
const closeTimeoutMs = 2000

/**
 * Gate to the connections of one thread to one endpoint: counts the open ones and queues requests, in order,
 * while the limit allows no further one.
 */
export class ConnectionLimit {
  /** Connections so far, without attempts that failed. */
  opened = 0
  readonly #max: number
  readonly #countIdle: () => number
  #waiting: Waiting[] = []
  #open = 0
  #onNoneOpen: (() => void) | undefined

  /** @param countIdle number of open connections that may be used at once */
  constructor(max: number, countIdle: () => number) {
    this.#max = max
    this.#countIdle = countIdle
  }

  /** Number of connections that may still be opened now. */
  get room(): number {
    return this.#max - this.#open
  }

  /** Calls `grant` once `count` connections are idle or may be opened; returns a function that ends the wait. */
  wait(count: number, grant: () => void): () => void {
    if (count > this.#max)
      throw new RangeError(`${count} connections exceed the limit ${this.#max}`)
    const own: Waiting = { count, grant }
    this.#waiting.push(own)
    this.serve()
    return () => {
      own.grant = undefined
      this.serve()
    }
  }

  /** Grants the waits that the limit allows; called whenever a connection becomes idle. */
  serve(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const { count, grant } = first
      if (grant !== undefined && this.room < count && this.room + this.#countIdle() < count) return
      this.#waiting.shift()
      grant?.()
    }
  }

  /** Counts a connection before it is opened. */
  opening(): void {
    this.opened += 1
    this.#open += 1
  }

  /** Counts down; called when the socket of a connection is closed. `reached`: the peer saw it. */
  closed(reached: boolean): void {
    if (!reached) this.opened -= 1
    this.#open -= 1
    if (this.#open === 0) this.#onNoneOpen?.()
    this.serve()
  }

  /** Ends all waits; resolves when no connection is open. */
  async close(): Promise<void> {
    this.#waiting = []
    if (this.#open === 0) return
    await new Promise<void>((resolve) => {
      const timeout = setTimeout(resolve, closeTimeoutMs)
      this.#onNoneOpen = () => {
        clearTimeout(timeout)
        resolve()
      }
    })
  }
}

/** The beginning of text from the target, quoted, with everything but printable ASCII escaped. */
export function quoted(text: string, maxLength = 40): string {
  const start = JSON.stringify(text.slice(0, maxLength)).replaceAll(
    /[^\x20-\x7e]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return text.length > maxLength ? `${start.slice(0, -1)}…"` : start
}
