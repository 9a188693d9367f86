/** Bearer authentication (section 5). */
import { createHash, timingSafeEqual } from 'node:crypto'
import { ApiError } from './errors.ts'

/** The caller behind an `Authorization` header, or undefined; every route has the same callers. */
export type Authenticate = (
  authorization: string | undefined,
  request: { readonly method: string; readonly path: string },
) => string | undefined

/** Several keys are several callers. Digests have one length, so comparing them takes one time. */
export function bearerAuthentication(keys: readonly string[]): Authenticate {
  const digests = keys.map(digest)
  return (authorization) => {
    const token = bearerToken(authorization)
    if (token === undefined) return undefined
    const given = digest(token)
    let caller: string | undefined
    for (const [index, known] of digests.entries()) {
      if (timingSafeEqual(given, known)) caller = `caller-${index + 1}`
    }
    return caller
  }
}

/** No `error` attribute where no credentials came (RFC 6750, section 3). */
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
  return createHash('sha256').update(text).digest()
}
