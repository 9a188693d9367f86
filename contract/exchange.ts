import { parseJson } from './json.ts'

/**
 * One HTTP conversation, the currency of chatgen: clients make it, judges read it, reports show it
 * and load runs count it.
 */

/** Reason for a request; reports and judges tell a probe from the act itself by it. */
export type Role =
  | 'arrange' // makes what the scenario needs
  | 'act' // the request that the scenario is about
  | 'control' // differs from a negative in one field and must be accepted
  | 'negative' // must be refused
  | 'liveness' // after a negative: the server still answers
  | 'probe' // reads back what happened
  | 'cleanup' // removes what the run made

export interface ExchangeLabels {
  /** Slug of the scenario that sent it. */
  readonly scenario: string
  /** 1 for the first request of the scenario, counted when it is sent. */
  readonly ordinal: number
  /**
   * 0 for the first try; counts the tries after a 429 or 503, after a conversation that failed on its
   * way, and after a refusal for want of a member that the document does not call required.
   */
  readonly attempt: number
  readonly role: Role
  /** Id of the exchange that this one repeats with the same idempotency key. */
  readonly repeatOf?: string
  /** Members that were added to the body because the target refused the request without them. */
  readonly supplied?: readonly string[]
  /** Name of the endpoint that it was sent to, such as `A`; absent if the target has one only. */
  readonly endpoint?: string
}

export interface WireRequest {
  readonly method: string
  /** Absolute URL. */
  readonly url: string
  /** Path of the route in the document, if the deployment has it below another prefix. */
  readonly documentedPath?: string
  readonly headers: readonly Header[]
  /** Null if the request has no body. */
  readonly body: Uint8Array | null
}

export type Header = readonly [name: string, value: string]

export interface WireChunk {
  /** Milliseconds after the first byte of the request was sent, fractional. */
  readonly atMs: number
  readonly bytes: Uint8Array
}

export type Protocol = 'http/1.1' | 'h2'

/** A body as it came, before its Content-Encoding was undone (RFC 9110, section 8.4). */
export interface CodedBody {
  /** Value of Content-Encoding, for example `gzip`. */
  readonly coding: string
  readonly chunks: readonly WireChunk[]
  /** Length of what is not stored, because a secret may be in it. */
  readonly withheldBytes?: number
}

export interface WireResponse {
  readonly status: number
  /** Names in lower case, in the order of arrival; repeated headers stay apart. */
  readonly headers: readonly Header[]
  /** Time at which the status line and the headers had arrived. */
  readonly headersAtMs: number
  /** The body without its Content-Encoding; a piece has the time at which its coded bytes came. */
  readonly chunks: readonly WireChunk[]
  /** Absent if the body had no Content-Encoding. */
  readonly coded?: CodedBody
  /** Fields after the body; absent if there are none. */
  readonly trailers?: readonly Header[]
}

/** One dispatched event of a body with the media type text/event-stream. */
export interface StreamEvent {
  readonly atMs: number
  /** Value of the `event:` field; null if the block has none. */
  readonly name: string | null
  /** The `data:` lines, joined by line feeds. */
  readonly data: string
}

/**
 * End of the conversation. `complete`: the body came to its regular end. `cut`: the peer closed
 * or reset the connection or the HTTP/2 stream inside the body, or ended it inside its
 * Content-Encoding. `undecodable`: its Content-Encoding is unknown, corrupt, or grows beyond our
 * limit, `error` says which. `aborted`: we left on purpose. `timeout`: our own limit.
 * `unreachable`: no answer at all, `error` says why.
 */
export type Ending =
  | { readonly kind: 'complete'; readonly atMs: number }
  | { readonly kind: 'cut'; readonly atMs: number; readonly error: string }
  | { readonly kind: 'undecodable'; readonly atMs: number; readonly error: string }
  /** `limit`: what the target sent beyond a limit of ours, as the end of a sentence. */
  | { readonly kind: 'aborted'; readonly atMs: number; readonly limit?: string }
  | { readonly kind: 'timeout'; readonly atMs: number }
  | {
      readonly kind: 'unreachable'
      readonly atMs: number
      /** System error code, for example ECONNREFUSED. */
      readonly code: string
      readonly error: string
    }

/** The moment at which a request was handed to its connection, in milliseconds on two clocks. */
export interface SendTime {
  /** Clock of the exchange, on which all its other times are. */
  readonly atMs: number
  /** Monotonic clock of the process, which all exchanges of a run share. */
  readonly clockMs: number
}

export interface Exchange {
  /** `x1`, `x2`, … in the order of sending within a run. */
  readonly id: string
  readonly labels: ExchangeLabels
  /** Wall clock, ISO 8601. */
  readonly startedAt: string
  readonly request: WireRequest
  /** Absent if it was never handed to a connection, and in recordings of older kits. */
  readonly sent?: SendTime
  /** Protocol of the answer; absent if none came, and in recordings of older kits. */
  readonly protocol?: Protocol
  /** Null if no status line arrived. */
  readonly response: WireResponse | null
  /** Decoded events; empty unless the body is an event stream. */
  readonly events: readonly StreamEvent[]
  readonly ending: Ending
  /**
   * The longest that this process was late for its own timers meanwhile, in milliseconds: so much later
   * than they arrived bytes may have been read. Earlier recordings say nothing of it.
   */
  readonly loopDelayMs?: number
}

/** First value of a header, by its name in lower case. */
export function header(headers: readonly Header[], name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1]
}

/** Bytes of the body. */
export function bodyLength(exchange: Exchange): number {
  return (exchange.response?.chunks ?? []).reduce((sum, chunk) => sum + chunk.bytes.length, 0)
}

/** The whole body as it arrived. */
export function bodyBytes(exchange: Exchange): Uint8Array {
  const chunks = exchange.response?.chunks ?? []
  const bytes = new Uint8Array(bodyLength(exchange))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk.bytes, at)
    at += chunk.bytes.length
  }
  return bytes
}

const utf8 = new TextDecoder()

/** The body as text; bytes that are not UTF-8 become U+FFFD. */
export function bodyText(exchange: Exchange): string {
  return utf8.decode(bodyBytes(exchange))
}

/** The body as JSON, or undefined if it is none. */
export function bodyJson(exchange: Exchange): unknown {
  return parseJson(bodyText(exchange))
}

/** The body of the request as JSON, or undefined if it is none. */
export function requestJson(exchange: Pick<Exchange, 'request'>): unknown {
  const { body } = exchange.request
  return body === null ? undefined : parseJson(utf8.decode(body))
}

/** Media type without parameters, in lower case; empty if there is none. */
export function mediaType(exchange: Exchange): string {
  const value = header(exchange.response?.headers ?? [], 'content-type') ?? ''
  return (value.split(';')[0] ?? '').trim().toLowerCase()
}

/** The request path in the document, without base address and query, for example `/api/v3/message`. */
export function requestPath({ request }: Pick<Exchange, 'request'>): string {
  if (request.documentedPath !== undefined) return request.documentedPath
  const { pathname } = new URL(request.url)
  const start = pathname.lastIndexOf('/api/')
  return start < 0 ? pathname : pathname.slice(start)
}

/** The request path as it was sent, for messages: with the prefix of the deployment, without the query. */
export function sentPath(exchange: Pick<Exchange, 'request'>): string {
  const { documentedPath, url } = exchange.request
  return documentedPath === undefined ? requestPath(exchange) : new URL(url).pathname
}

export function succeeded(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0
  return status >= 200 && status < 300
}
