import type { OpenQuestionId, RequirementId } from './catalog/index.ts'
import { isObject, parseJson } from './json.ts'

/** One HTTP request with its response: clients create it, judges read it, reports show it, load runs count it. */

/** Purpose of a request, by which reports and judges distinguish a probe from the act itself. */
export type Role =
  | 'arrange' // creates what the scenario needs
  | 'act' // the request under test
  | 'control' // differs from a negative request in one field and must be accepted
  | 'negative' // must be refused
  | 'liveness' // after a negative: the server still answers
  | 'probe' // reads back the effect
  | 'cleanup' // deletes what the run created

export interface ExchangeLabels {
  /** Slug of the scenario that sent it. */
  readonly scenario: string
  /** 1 for the first request of the scenario, counted when it is sent. */
  readonly ordinal: number
  /**
   * 0 for the first attempt; counts the retries after a 429 or 503, after a transport failure, and after a
   * refusal because a field is missing that the document does not list as required.
   */
  readonly attempt: number
  readonly role: Role
  /** Id of the exchange that this one repeats with the same idempotency key. */
  readonly repeatOf?: string
  /** Fields that were added to the body because the target refused the request without them. */
  readonly supplied?: readonly string[]
  /** Name of the endpoint that it was sent to, such as `A`; absent if the target has one only. */
  readonly endpoint?: string
}

export interface WireRequest {
  readonly method: string
  readonly url: string
  /** Path of the route in the document, if the deployment serves it under another prefix. */
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

/** A body as received, before its Content-Encoding was decoded (RFC 9110, section 8.4). */
export interface CodedBody {
  /** Value of Content-Encoding, for example `gzip`. */
  readonly coding: string
  readonly chunks: readonly WireChunk[]
  /** Length of the part that is not stored because it may contain a secret. */
  readonly withheldBytes?: number
}

export interface WireResponse {
  readonly status: number
  /** Names in lower case, in the order of arrival; repeated headers are not merged. */
  readonly headers: readonly Header[]
  /** Time at which the status line and the headers had arrived. */
  readonly headersAtMs: number
  /** The decoded body; each chunk has the arrival time of its encoded bytes. */
  readonly chunks: readonly WireChunk[]
  /** Absent if the body had no Content-Encoding. */
  readonly coded?: CodedBody
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
 * End of the exchange. `complete`: the body ended regularly. `cut`: the peer closed or reset the
 * connection or the HTTP/2 stream within the body, or truncated its encoded data. `undecodable`: its
 * Content-Encoding is unknown or corrupt, or exceeds our limit when decoded; `error` says which.
 * `aborted`: we closed it on purpose. `timeout`: our own limit expired. `unreachable`: no response at
 * all; `error` gives the reason.
 */
export type Ending =
  | { readonly kind: 'complete'; readonly atMs: number }
  | { readonly kind: 'cut'; readonly atMs: number; readonly error: string }
  | { readonly kind: 'undecodable'; readonly atMs: number; readonly error: string }
  /** `limit`: what exceeded a limit of ours, as the end of a sentence. */
  | { readonly kind: 'aborted'; readonly atMs: number; readonly limit?: string }
  | { readonly kind: 'timeout'; readonly atMs: number }
  | {
      readonly kind: 'unreachable'
      readonly atMs: number
      /** System error code, for example ECONNREFUSED. */
      readonly code: string
      readonly error: string
    }

/** Time at which a request was handed to its connection, in milliseconds on two clocks. */
export interface SendTime {
  /** Clock of the exchange, which all its other times use. */
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
  /** Absent if it was never handed to a connection. */
  readonly sent?: SendTime
  /** Protocol of the response; absent without one. */
  readonly protocol?: Protocol
  /** Null if no status line arrived. */
  readonly response: WireResponse | null
  /** Decoded events; empty unless the body is an event stream. */
  readonly events: readonly StreamEvent[]
  readonly ending: Ending
  /**
   * Maximum delay of the timers of this process during the exchange, in milliseconds: bytes may have been
   * read that much later than they arrived. Absent for requests outside of the scenarios.
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

/** The body as text, in UTF-8 unless its media type names UTF-16; other bytes become U+FFFD. */
export function bodyText(exchange: Exchange): string {
  const type = header(exchange.response?.headers ?? [], 'content-type') ?? ''
  const [, other] = /;\s*charset="?(utf-16(?:[bl]e)?)\b/i.exec(type) ?? []
  const decoder = other === undefined ? utf8 : new TextDecoder(other)
  return decoder.decode(bodyBytes(exchange))
}

/** The body as JSON, or undefined if it is not valid JSON. */
export function bodyJson(exchange: Exchange): unknown {
  const { response } = exchange
  return response === null ? undefined : parsedOnce(response, () => bodyText(exchange))
}

/** The body of the request as JSON, or undefined if it is not valid JSON. */
export function requestJson({ request }: Pick<Exchange, 'request'>): unknown {
  const { body } = request
  return body === null ? undefined : parsedOnce(request, () => utf8.decode(body))
}

/** Each judge and claim reads the same body again; a value may take many times the memory of its text. */
function parsedOnce(message: WireRequest | WireResponse, text: () => string): unknown {
  const cached = parsed.get(message)?.deref()
  if (cached !== undefined) return cached
  const value = parseJson(text())
  if (typeof value === 'object' && value !== null) parsed.set(message, new WeakRef(value))
  return value
}

const parsed = new WeakMap<WireRequest | WireResponse, WeakRef<object>>()

/** Media type without parameters, in lower case; empty if there is none. */
export function mediaType(exchange: Exchange): string {
  const value = header(exchange.response?.headers ?? [], 'content-type') ?? ''
  return (value.split(';')[0] ?? '').trim().toLowerCase()
}

/** The request path in the document, without base address and query, for example `/api/v3/message`. */
export function requestPath({ request }: Pick<Exchange, 'request'>): string {
  if (request.documentedPath !== undefined) return request.documentedPath
  const cached = paths.get(request)
  if (cached !== undefined) return cached
  const { pathname } = new URL(request.url)
  const path = pathname.slice(Math.max(0, pathname.lastIndexOf('/api/')))
  paths.set(request, path)
  return path
}

const paths = new WeakMap<WireRequest, string>()

/** The request path as it was sent, for messages: with the prefix of the deployment, without the query. */
export function sentPath(exchange: Pick<Exchange, 'request'>): string {
  const { documentedPath, url } = exchange.request
  return documentedPath === undefined ? requestPath(exchange) : new URL(url).pathname
}

export function succeeded(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0
  return status >= 200 && status < 300
}

/** Tests if the target declined: any status but 2xx, or a 2xx that reports an error and nothing else. */
export function isDeclined(exchange: Exchange): boolean {
  if (!succeeded(exchange)) return true
  if (mediaType(exchange) === 'text/event-stream') {
    const names = exchange.events.map((event) => event.name)
    const failed = names.includes('error') || names.includes('response.failed')
    return failed && !names.includes('response.output_item.added')
  }
  const body = bodyJson(exchange)
  if (!isObject(body)) return false
  const error = body['error'] ?? body['errors']
  return error !== undefined && error !== null && error !== false && !('output' in body)
}

/** Result of a judge or a claim for one requirement, which passes only if something held and nothing broke. */
export interface Finding {
  readonly requirement: RequirementId
  readonly verdict: 'held' | 'broken'
  /** One sentence; for `broken` it contains the observed and the expected behavior. */
  readonly why: string
  readonly exchanges: readonly string[]
  /** Index of the event in its stream, if one event shows it. */
  readonly event?: number
  /** A violation that a legal server may show now and then. */
  readonly mayBeChance?: true
}

/** Behavior of the target at a point that the document leaves open. */
export interface Observation {
  readonly question: OpenQuestionId
  readonly answer: string
  readonly exchanges: readonly string[]
}

export interface Judgement {
  readonly findings: readonly Finding[]
  readonly observations: readonly Observation[]
}
