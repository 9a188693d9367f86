import { isDeepStrictEqual } from 'node:util'
import type { Exchange, Header } from './exchange.ts'
import { isObject, type JsonObject } from './json.ts'
import { bodyJson, header, requestJson } from './reading.ts'

/** A request as its response may echo it. */
export interface SentRequest {
  readonly url: string
  readonly documentedPath?: string
  readonly headers: readonly Header[]
  /** The body as JSON; undefined if there is none. */
  readonly json?: unknown
}

/** The JSON body without the fields that echo its request, which are no evidence; undefined if it is not JSON. */
export function answerJson(exchange: Exchange): unknown {
  const cached = answers.get(exchange)
  if (cached !== undefined) return cached.json
  const sent = { ...exchange.request, json: requestJson(exchange) }
  const json = withoutEcho(bodyJson(exchange), sent)
  answers.set(exchange, { json })
  return json
}

const answers = new WeakMap<Exchange, { readonly json: unknown }>()

/** The same for a response that is already parsed. */
export function withoutEcho(answer: unknown, sent: SentRequest): unknown {
  return prune(answer, toEcho(sent))
}

/** The parts of a request, prepared for comparison. */
interface Echo {
  /** Address, path, query and unique headers. */
  readonly texts: ReadonlySet<string | undefined>
  readonly query: Readonly<Record<string, string>>
  readonly headers: ReadonlyMap<string, string>
  /** A non-empty object or array; undefined for any other body. */
  readonly json: unknown
}

/** Headers whose values are unique to a request or to a run. */
const uniqueHeaders = ['x-request-id', 'user-agent', 'idempotency-key', 'authorization']

function toEcho({ url, documentedPath, headers, json }: SentRequest): Echo {
  const { origin, pathname, search, searchParams } = new URL(url)
  const unique = uniqueHeaders.map((name) => header(headers, name))
  // A gateway may have removed or replaced a prefix of the path.
  const below = documentedPath ?? pathname.slice(Math.max(0, pathname.lastIndexOf('/api/')))
  const paths = [pathname, below, origin + pathname].flatMap((path) => [path, path + search])
  return {
    texts: new Set([...paths, search, search.slice(1), ...unique].filter(Boolean)),
    query: Object.fromEntries(searchParams),
    headers: new Map(headers.map(([name, value]) => [name.toLowerCase(), value])),
    json: isFilled(json) ? json : undefined,
  }
}

/** Deeper values are left unchanged: no response of the contract is that deep. */
const maxDepth = 200

/** Returns the value itself if it contains no echo. */
function prune(value: unknown, echo: Echo, depth = 0, inList = false): unknown {
  if (typeof value !== 'object' || value === null || depth >= maxDepth) return value
  if (Array.isArray(value)) {
    // An element may legitimately equal what was sent, as in a search or a list of created resources.
    const kept = value.map((element) => prune(element, echo, depth + 1, true))
    return kept.every((element, at) => element === value[at]) ? value : kept
  }
  const members = Object.entries(value)
  const kept = members
    .filter(
      ([name, member]) => !repeats(member, echo) && (inList || !isParameter(name, member, echo)),
    )
    .map(([name, member]) => [name, prune(member, echo, depth + 1, inList)] as const)
  const isSame =
    kept.length === members.length && kept.every(([, member], at) => member === members[at]?.[1])
  return isSame ? value : Object.fromEntries(kept)
}

function repeats(value: unknown, { texts, json, query, headers }: Echo): boolean {
  if (typeof value === 'string') return texts.has(value)
  if (!isFilled(value)) return false
  if (json !== undefined && isDeepStrictEqual(value, json)) return true
  return isObject(value) && (isRequest(value) || isQuery(value, query) || isHeaders(value, headers))
}

const methods: readonly unknown[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const targetNames: readonly string[] = ['url', 'uri', 'path', 'href', 'target']

/** An object with a method and a target, or with the headers of a client. */
function isRequest(value: JsonObject): boolean {
  const method = typeof value['method'] === 'string' ? value['method'].toUpperCase() : undefined
  if (methods.includes(method) && targetNames.some((name) => typeof value[name] === 'string')) {
    return true
  }
  const headers = value['headers']
  return isObject(headers) && Object.keys(headers).some((name) => /^(host|user-agent)$/i.test(name))
}

/** A query parameter next to the content, for example `search` or `cursor` of a list. */
function isParameter(name: string, value: unknown, { query }: Echo): boolean {
  return Object.hasOwn(query, name) && isValue(value, query[name])
}

function isQuery(value: JsonObject, query: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(value)
  if (names.length === 0 || names.length !== Object.keys(query).length) return false
  return names.every((name) => isValue(value[name], query[name]))
}

/** A parameter may occur several times: some servers read each as a list. */
function isValue(value: unknown, sent: string | undefined): boolean {
  const [only, ...more] = Array.isArray(value) ? value : [value]
  const isScalar = ['string', 'number', 'boolean'].includes(typeof only)
  return more.length === 0 && isScalar && sent === String(only)
}

/** Two headers suffice: a server may add those of its proxies and mask a credential. */
function isHeaders(value: JsonObject, headers: ReadonlyMap<string, string>): boolean {
  const equal = Object.entries(value).filter(
    ([name, member]) => headers.get(name.toLowerCase()) === member,
  )
  return equal.length >= 2
}

function isFilled(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}
