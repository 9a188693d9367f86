import type { Surface } from '../../../contract/catalog/requirement.ts'
import { destinationOf, type Header, type WireRequest } from '../../../contract/index.ts'
import { acceptEncoding } from '../../client/body/content-coding.ts'
import type { LoadTarget } from '../target.ts'
import type { Forward } from './dial.ts'

/** A request as a transaction specifies it. */
export interface RequestSpec {
  readonly surface: Surface
  readonly method: string
  /** Path in the document; the prefixes of the target replace its own. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The request as judges see it. */
export function wireRequest(spec: RequestSpec, target: LoadTarget, requestId: string): WireRequest {
  const query = spec.query === undefined ? '' : `?${new URLSearchParams(spec.query)}`
  const { url, ...route } = destinationOf(target, spec.path)
  const body = spec.json === undefined ? null : Buffer.from(JSON.stringify(spec.json))
  const token = target.tokens[spec.surface]
  const isCodingChosen = Object.keys(target.headers).some(
    (name) => name.toLowerCase() === 'accept-encoding',
  )
  const headers: Header[] = [
    ['accept', 'application/json, text/event-stream'],
    ...(isCodingChosen ? [] : [['accept-encoding', acceptEncoding] as const]),
    ['user-agent', target.userAgent],
    ['x-request-id', requestId],
  ]
  if (body !== null) headers.push(['content-type', 'application/json'])
  if (token !== null) headers.push(['authorization', `Bearer ${token}`])
  headers.push(...Object.entries(target.headers), ...Object.entries(spec.headers ?? {}))
  return { method: spec.method, url: `${url}${query}`, ...route, headers, body }
}

/** Head and body as they go over the wire of HTTP/1.1, in one piece. */
export function requestBytes(
  { method, url, headers, body }: WireRequest,
  forward: Forward | null = null,
): Uint8Array {
  const { host, origin, path } = addressOf(url)
  const lines = [`${method} ${forward === null ? '' : origin}${path} HTTP/1.1`, `host: ${host}`]
  for (const [name, value] of headers) lines.push(`${name}: ${value}`)
  if (forward?.authorization !== undefined) {
    lines.push(`proxy-authorization: ${forward.authorization}`)
  }
  if (body !== null || method === 'POST') lines.push(`content-length: ${body?.length ?? 0}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return body === null ? head : Buffer.concat([head, body])
}

/** The parts of the URL of a request; `path` has its query. */
export function addressOf(url: string): { host: string; origin: string; path: string } {
  const question = url.indexOf('?')
  const search = question < 0 ? '' : url.slice(question)
  const { host, origin, pathname } = parseUrl(question < 0 ? url : url.slice(0, question))
  return { host, origin, path: `${pathname}${search}` }
}

const cachedUrls = new Map<string, URL>()
const maxCachedUrls = 100

/** Parses a URL without its query; cached, because a run has few and parsing is expensive. */
function parseUrl(address: string): URL {
  const cached = cachedUrls.get(address)
  if (cached !== undefined) return cached
  const place = new URL(address)
  if (cachedUrls.size < maxCachedUrls) cachedUrls.set(address, place)
  return place
}
