/** Reading of an exchange: its headers, bodies, path and outcome, and what judges conclude from it. */
import type { OpenQuestionId, RequirementId } from './catalog/index.ts'
import type { Exchange, Header, WireRequest, WireResponse } from './exchange.ts'
import { isObject, parseJson } from './json.ts'

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
  return Buffer.concat((exchange.response?.chunks ?? []).map(({ bytes }) => bytes))
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
  // An envelope may have the members `error: 0` and `errors: []`.
  const errors = [body['error'], body['errors']].flat().filter(Boolean)
  return errors.length > 0 && !('output' in body)
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
