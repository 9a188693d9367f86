import { isDeepStrictEqual } from 'node:util'
import { bodyJson as bodyAsSent, type Exchange, requestJson } from '../../../contract/index.ts'
import { isObject, type JsonObject } from '../../../contract/json.ts'

/**
 * The JSON body without what repeats a request, its own or that of another exchange: an answer may
 * echo what it was asked in members of its own, and an echo states nothing.
 */
export function bodyJson(exchange: Exchange): unknown {
  const known = bodies.get(exchange)
  if (known !== undefined) return known.body
  const body = withoutEcho(bodyAsSent(exchange), exchange)
  bodies.set(exchange, { body })
  return body
}

const bodies = new WeakMap<Exchange, { readonly body: unknown }>()

function withoutEcho(body: unknown, exchange: Exchange): unknown {
  const url = new URL(exchange.request.url)
  const links = [exchange.request.url, `${url.pathname}${url.search}`]
  const sent = requestJson(exchange)
  const repeatsBody = (value: unknown) =>
    isObject(sent) && Object.keys(sent).length > 0 && isDeepStrictEqual(value, sent)

  return strip(body, false, maxDepth)

  function strip(value: unknown, isInList: boolean, depth: number): unknown {
    if (typeof value !== 'object' || value === null || depth === 0) return value
    if (Array.isArray(value)) return value.map((element) => strip(element, true, depth - 1))
    const kept = Object.entries(value).filter(
      ([key, inner]) => !(isEcho(inner) || (!isInList && repeatsQuery(key, inner))),
    )
    return Object.fromEntries(kept.map(([key, inner]) => [key, strip(inner, isInList, depth - 1)]))
  }

  function isEcho(value: unknown): boolean {
    if (typeof value === 'string') return links.includes(value)
    return isObject(value) && (isRequest(value) || repeatsBody(value))
  }

  /** Elements of a list have members of their own by the names of a query. */
  function repeatsQuery(key: string, value: unknown): boolean {
    const isScalar = typeof value === 'string' || typeof value === 'number'
    return isScalar && url.searchParams.getAll(key).includes(String(value))
  }
}

/** Deeper values are kept as they are. */
const maxDepth = 200

const methods: readonly unknown[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const targets = ['url', 'uri', 'path', 'href', 'target']

/** An object with a method and a target, or with the headers of a client. */
function isRequest(value: JsonObject): boolean {
  const method = typeof value['method'] === 'string' ? value['method'].toUpperCase() : undefined
  if (methods.includes(method) && targets.some((name) => typeof value[name] === 'string')) {
    return true
  }
  const headers = value['headers']
  return isObject(headers) && Object.keys(headers).some((name) => /^(host|user-agent)$/i.test(name))
}
