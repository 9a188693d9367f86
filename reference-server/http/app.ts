/** The path of a request to its handler: admission, routes, bodies, refusals. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { DroppedConnection, disrupted } from '../events/disruption.ts'
import { ModelOutage } from '../model/types.ts'
import { type Observer, observe, type Served } from '../observability/observe.ts'
import { sleepUntil } from '../runtime/clock.ts'
import type { Runs } from '../runtime/runs.ts'
import type { Services } from '../services.ts'
import { type Standing, unauthorized } from './admission.ts'
import { readBody } from './body.ts'
import type { Call, Reply, Route } from './call.ts'
import { ApiError, errorReply, isInternal } from './errors.ts'
import { createRouter } from './router.ts'
import { writeReply } from './writer.ts'

/** `leaving`: still answers, but not ready, so that load balancers remove it; `draining`: 503 to new requests. */
export type ServerPhase = 'serving' | 'leaving' | 'draining'

export interface AppOptions {
  /** Largest file of an upload. */
  readonly uploadLimitBytes: number
  readonly phase: () => ServerPhase
  readonly inFlight: Runs
  readonly onInternalError: (error: unknown) => void
  /** Origins of browser pages that may call the server; empty: none. */
  readonly origins: readonly string[]
  readonly observers: readonly Observer[]
}

export type App = (request: IncomingMessage, response: ServerResponse) => void

export function createApp(services: Services, routes: readonly Route[], options: AppOptions): App {
  const find = createRouter(routes)
  const isPreflight = allowOrigins(options.origins)
  const { onInternalError } = options

  /** Writes the reply of the handler, or the refusal. */
  async function answer(served: Served, call: Call): Promise<void> {
    const { response } = served
    const { route } = served.found
    try {
      const standing = admit(call, served.found)
      const reply = await settle(served, call, standing.refusal)
      const made = await disrupted(reply, call.signal)
      const headers = { ...standing.headers, ...made.headers }
      if (typeof route !== 'function' && route.isPage && standing.refusal === undefined) {
        return await writeReply(response, call, { ...made, headers }, services)
      }
      const pause = services.pause?.(call.signal)
      if (pause !== undefined) await pause
      served.answered = services.outgoing(call, { ...made, headers })
      await writeReply(response, call, served.answered, services)
    } catch (error) {
      response.destroy()
      if (!(error instanceof DroppedConnection) && isInternal(error)) onInternalError(error)
    }
  }

  /** Checks everything that depends only on the head of a request; the body of a refused one is never read. */
  function admit({ path, caller, headers }: Call, found: Served['found']): Standing {
    // The path as sent may be encoded (`/%61pi`) or absolute (RFC 9112, section 3.2.2).
    const isApi = /^\/api(\/|$)/.test(found.path ?? path)
    if (isApi && caller === '') return { headers: {}, refusal: unauthorized(headers.authorization) }
    const standing = isApi ? services.limit(caller, services.clock.now()) : { headers: {} }
    return standing.refusal === undefined && isTurnedAway(path, options.phase())
      ? { ...standing, refusal: goingDown() }
      : standing
  }

  async function settle(
    { request, response, found: { route } }: Served,
    call: Call,
    refusal: ApiError | undefined,
  ): Promise<Reply> {
    try {
      if (refusal !== undefined) throw refusal
      if (typeof route === 'function') throw route()
      // A copy would stay in memory as long as the answer.
      Object.assign(call, await readBody(request, response, route, options.uploadLimitBytes))
      return await route.handle(services.incoming(call))
    } catch (error) {
      if (error instanceof ModelOutage && error.delayMs > 0) {
        await sleepUntil(services.clock, services.clock.now() + error.delayMs).catch(() => {})
      }
      if (isInternal(error)) onInternalError(error)
      return errorReply(error)
    }
  }

  return (request, response) => {
    const served: Served = { request, response, found: find(request.method, request.url) }
    observe(served, options.observers)
    if (isPreflight(request, response)) return
    const call = callOf(served, services)
    served.call = call
    void options.inFlight.track(() => answer(served, call))
  }
}

function isTurnedAway(path: string, phase: ServerPhase): boolean {
  return path === '/readyz' ? phase !== 'serving' : phase === 'draining' && path !== '/healthz'
}

function callOf({ request, response, found }: Served, services: Services): Call {
  const receivedNs = process.hrtime.bigint()
  const { headers, method = 'GET', url = '/' } = request
  const path = url.split('?', 1)[0] ?? ''
  return {
    id: requestId(headers['x-request-id']) ?? services.ids.tagged('req'),
    method,
    path,
    params: found.params,
    headers,
    query: found.query,
    body: undefined,
    file: undefined,
    caller: services.authenticate(headers.authorization, { method, path }) ?? '',
    receivedNs,
    signal: leaving(response),
  }
}

/** Id from the client, returned to it; undefined if it is not valid in a header. */
function requestId(given: string | string[] | undefined): string | undefined {
  return typeof given === 'string' && /^[\x21-\x7e]{1,200}$/.test(given) ? given : undefined
}

function leaving(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.on('close', () => {
    if (!response.writableFinished) controller.abort()
  })
  return controller.signal
}

function goingDown(): ApiError {
  return new ApiError(503, 'The server is shutting down', 'service_unavailable', null, {
    'retry-after': '1',
    connection: 'close',
  })
}

/** Headers of answers that a page may read in addition to the safelisted ones. */
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
