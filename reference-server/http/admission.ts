/** Bearer authentication (section 5). */
import { hash, timingSafeEqual } from 'node:crypto'
import { ApiError } from './errors.ts'

/** The caller behind an `Authorization` header, or undefined; every route has the same callers. */
export type Authenticate = (
  authorization: string | undefined,
  request: { readonly method: string; readonly path: string },
) => string | undefined

/** Name of the caller of a key, never the key itself. */
export type CallerName = (key: string, index: number) => string

export const nameByPosition: CallerName = (_key, index) => `caller-${index + 1}`

/** Independent of the server and the order of keys, for stores that outlive a server. */
export const nameByKey: CallerName = (key) => `caller-${digest(key).toString('hex').slice(0, 16)}`

/** Each key is a separate caller. Digests have equal lengths, so comparing them takes constant time. */
export function bearerAuthentication(
  keys: readonly string[],
  nameOf: CallerName = nameByPosition,
): Authenticate {
  const digests = keys.map(digest)
  const names = keys.map(nameOf)
  // A valid header repeats with every request, so its digest is computed once.
  const admitted = new Map<string, string>()
  return (authorization = '') => {
    const name = admitted.get(authorization)
    if (name !== undefined) return name
    const token = bearerToken(authorization)
    if (token === undefined) return undefined
    const given = digest(token)
    let caller: string | undefined
    for (const [index, expected] of digests.entries()) {
      if (timingSafeEqual(given, expected)) caller = names[index]
    }
    if (caller !== undefined && admitted.size < maxAdmitted) admitted.set(authorization, caller)
    return caller
  }
}

/** Limit, because one key has many notations: case of the scheme, number of spaces. */
const maxAdmitted = 1000

/** No `error` attribute without credentials (RFC 6750, section 3). */
export function unauthorized(authorization: string | undefined): ApiError {
  const attributes = bearerToken(authorization) === undefined ? '' : ', error="invalid_token"'
  const message = 'A valid API key is required: Authorization: Bearer <key>'
  const headers = { 'www-authenticate': `Bearer realm="chat-generation"${attributes}` }
  return new ApiError(401, message, 'invalid_api_key', null, headers)
}

function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization?.trim() ?? '')?.[1]
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

/** State of a caller's limit after a request. */
export interface Standing {
  /** Headers for every answer. */
  readonly headers: Readonly<Record<string, string>>
  readonly refusal?: ApiError
}

/** @param now Unix milliseconds */
export type RateLimit = (caller: string, now: number) => Standing

export const withoutLimit: RateLimit = () => ({ headers: {} })

/** A token bucket, initially full and refilled evenly. */
export function requestsPerMinute(limit: number): RateLimit {
  const buckets = new Map<string, { readonly tokens: number; readonly at: number }>()
  const perMs = limit / 60_000
  return (caller, now) => {
    const { tokens, at } = buckets.get(caller) ?? { tokens: limit, at: now }
    const filled = Math.min(limit, tokens + (now - at) * perMs)
    const allowed = filled >= 1
    const left = allowed ? filled - 1 : filled
    buckets.set(caller, { tokens: left, at: now })
    const headers = {
      'x-ratelimit-limit-requests': String(limit),
      'x-ratelimit-remaining-requests': String(Math.floor(left)),
      'x-ratelimit-reset-requests': `${Math.ceil((limit - left) / perMs)}ms`,
    }
    return allowed
      ? { headers }
      : { headers, refusal: tooMany(Math.ceil((1 - left) / perMs / 1000), limit) }
  }
}

function tooMany(seconds: number, limit: number): ApiError {
  const message = `At most ${limit} requests per minute; try again in ${seconds}s`
  const headers = { 'retry-after': String(seconds) }
  return new ApiError(429, message, 'rate_limit_exceeded', null, headers)
}
