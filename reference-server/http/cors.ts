/** Cross-origin requests (WHATWG Fetch, section 3.2), so that a page in a browser can call the server. */
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Headers of answers that a page may read besides the safelisted ones. */
const exposedHeaders = [
  'x-request-id',
  'idempotency-replayed',
  'retry-after',
  'www-authenticate',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-chatgen-received',
  'x-chatgen-sent',
].join(', ')

const preflightCacheSeconds = '600'

/**
 * Marks answers as readable by pages of the origins, and answers preflights, which carry no credentials.
 *
 * @param origins allowed ones, such as `http://localhost:5173`; `*` is any
 * @returns true if the request is a preflight, which is then answered
 */
export function allowOrigins(
  origins: readonly string[],
): (request: IncomingMessage, response: ServerResponse) => boolean {
  if (origins.length === 0) return () => false
  return ({ method, headers }, response) => {
    const { origin } = headers
    const allowed = origins.includes('*') ? '*' : origins.find((one) => one === origin)
    response.setHeader('vary', 'Origin')
    if (allowed !== undefined) response.setHeader('access-control-allow-origin', allowed)
    const isPreflight =
      method === 'OPTIONS' &&
      origin !== undefined &&
      headers['access-control-request-method'] !== undefined
    if (!isPreflight) {
      response.setHeader('access-control-expose-headers', exposedHeaders)
      return false
    }
    response.setHeader('access-control-allow-methods', 'GET, HEAD, POST, PATCH, DELETE')
    const headerNames = headers['access-control-request-headers']
    if (headerNames !== undefined) response.setHeader('access-control-allow-headers', headerNames)
    response.setHeader('access-control-max-age', preflightCacheSeconds)
    response.writeHead(204).end()
    return true
  }
}
