import type { Header, WireRequest } from '../../../contract/index.ts'

/** Receives the progress of one request; exactly one of `end`, `failed` and `broke` comes, and comes last. */
export interface AnswerSink extends ResponseSink {
  /** The request was written. `opened`: when the connection was ready, where it was made for this one. */
  sent(at: number, opened: OpenedConnection | null): void
  failed(error: Error, at: number): void
  /** An internal error, thrown while the answer was read. */
  internalError(error: unknown): void
}

export interface OpenedConnection {
  readonly startedAt: number
  readonly readyAt: number
}

/** The way of one request to the target: a connection of HTTP/1.1, or a stream of HTTP/2. */
export interface Channel {
  /** Resolves when it is ready to send, or when it never will be. */
  readonly settled: Promise<void>
  send(request: WireRequest, sink: AnswerSink): void
  /** Stops reading until `resume`. */
  pause(): void
  resume(): void
  /** Closes it without notifying the sink. */
  abandon(): void
}

/** The connections of one thread to its target, whichever version of HTTP they speak. */
export interface ChannelPool {
  readonly httpVersion: 'http1' | 'http2'
  /** Number of opened connections. */
  readonly opened: number
  /** Null over HTTP/1.1. */
  readonly http2: Http2Figures | null
  /** A channel, regardless of the connection limit. */
  acquire(): Channel
  /** Passes a channel as soon as one is free. */
  whenAvailable(use: (channel: Channel) => void): void
  /** A channel over a connection of its own. */
  dedicated(): Channel
  close(): void
}

/** Figures of HTTP/2; those of several workers add up, except `maxAtOnce` and `allowed`. */
export interface Http2Figures {
  streams: number
  /** Most streams that one connection carried at once. */
  maxAtOnce: number
  /** The lowest SETTINGS_MAX_CONCURRENT_STREAMS of the peer; null where it set none. */
  allowed: number | null
  /** Streams that the peer reset with RST_STREAM. */
  resets: number
  /** Connections that the peer ended with GOAWAY. */
  goaways: number
  /** Requests sent again because the peer said that it had not processed them (RFC 9113, section 8.7). */
  resent: number
}

/** The peer did not send an HTTP/1.1 response. */
export class HttpSyntaxError extends Error {
  override readonly name = 'HttpSyntaxError'
  readonly code = 'E_HTTP_SYNTAX'
}

/** Is told what a response brings. `at` is the stamp of the socket read that brought it. */
export interface ResponseSink {
  head(status: number, headers: readonly Header[], at: number): void
  /** The memory is used again after the call. */
  data(bytes: Uint8Array, at: number): void
  end(at: number): void
}
