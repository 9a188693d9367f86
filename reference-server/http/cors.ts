/** Cross-origin requests (WHATWG Fetch, section 3.2), so that a page in a browser can call the server. */
import cors from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'

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
]

const preflightCacheSeconds = 600

/**
 * Answers preflights of the origins, which carry no credentials, and marks all other answers as
 * readable. Registered before the hook that wants a key.
 *
 * @param origins allowed ones, such as `http://localhost:5173`; `*` is any
 */
export async function allowOrigins(
  app: FastifyInstance,
  origins: readonly string[],
): Promise<void> {
  const settings = {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders,
    maxAge: preflightCacheSeconds,
  }
  await app.register(cors, {
    // An OPTIONS request that is no preflight is answered as without cross-origin requests.
    delegator: async (request: FastifyRequest) => ({
      ...settings,
      preflight: isPreflight(request),
    }),
  })
}

function isPreflight({ headers, method }: FastifyRequest): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  )
}
