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
  return new ApiError(401, 'A valid API key is required: Authorization: Bearer <key>', {
    code: 'invalid_api_key',
    headers: { 'www-authenticate': `Bearer realm="chat-generation"${attributes}` },
  })
}

function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization?.trim() ?? '')?.[1]
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
