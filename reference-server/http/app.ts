/** The path of a request to its handler: admission, routes, bodies, refusals. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { DroppedConnection, disrupted } from '../events/disruption.ts'
import { ModelOutage } from '../model/types.ts'
import { type Observer, observe, type Served } from '../observability/observe.ts'
import { sleepUntil } from '../runtime/clock.ts'
import type { Runs } from '../runtime/runs.ts'
import type { Services } from '../services.ts'
import { unauthorized } from './admission.ts'
import { readBody } from './body.ts'
import type { Call, Reply, Route } from './call.ts'
import { ApiError, errorReply, isInternal } from './errors.ts'
import { createRouter, type Found, type Page, type Router } from './router.ts'
import { writeReply } from './writer.ts'

/** `leaving`: still answers, but not ready, so that load balancers remove it; `draining`: 503 to new requests. */
export type ServerPhase = 'serving' | 'leaving' | 'draining'

export interface AppOptions {
  readonly bodyLimitBytes: number
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

export function createApp(
  services: Services,
  routes: readonly Route[],
  pages: readonly Page[],
  options: AppOptions,
): App {
  const router = createRouter(routes, pages)
  const admit = createAdmission(services, router, options)
  const answer = createAnswering(services, options)
  const isPreflight = allowOrigins(options.origins)

  return (request, response) => {
    const served: Served = { request, response, found: router.find(request.method, request.url) }
    observe(served, options.observers)
    if (isPreflight(request, response)) return
    const call = callOf(served, services)
    served.call = call
    const admission = admit(served.found, call)
    const { page } = served.found
    void options.inFlight.track(() =>
      admission.refusal === undefined && page !== undefined
        ? writePage(response, page)
        : answer(served, call, admission),
    )
  }
}

interface Admission {
  /** Headers of the rate limit, for the answer. */
  readonly headers: Readonly<Record<string, string>>
  readonly refusal?: ApiError | undefined
}

/** Checks everything that depends only on the head of a request; the body of a refused one is never read. */
function createAdmission(
  services: Services,
  router: Router,
  { phase: phaseNow }: Pick<AppOptions, 'phase'>,
) {
  const isTurnedAway = (path: string): boolean => {
    const phase = phaseNow()
    return path === '/readyz' ? phase !== 'serving' : phase === 'draining' && path !== '/healthz'
  }
  return (found: Found, call: Call): Admission => {
    const { path, caller } = call
    const isApi = /^\/api(\/|$)/.test(path)
    if (isApi && caller === '') {
      return { headers: {}, refusal: unauthorized(call.headers.authorization) }
    }
    const standing = isApi ? services.limit(caller, services.clock.now()) : { headers: {} }
    if (standing.refusal !== undefined) return standing
    const refusal = isTurnedAway(path) ? goingDown() : router.refusal(found, call)
    return { headers: standing.headers, refusal }
  }
}

/** Writes the reply of a handler, or the refusal. */
function createAnswering(services: Services, options: AppOptions) {
  const { onInternalError } = options

  return async (served: Served, call: Call, admission: Admission): Promise<void> => {
    const { response } = served
    try {
      const reply = await settle(served, call, admission)
      const made = reply.disruption === undefined ? reply : await disrupted(reply, call.signal)
      const pause = services.pause(call.signal)
      if (pause !== undefined) await pause
      const headers = { ...admission.headers, ...made.headers }
      served.answered = services.outgoing(call, { ...made, headers })
      await writeReply(response, call, served.answered, services)
    } catch (error) {
      response.destroy()
      if (!(error instanceof DroppedConnection) && isInternal(error)) onInternalError(error)
    }
  }

  async function settle(served: Served, call: Call, { refusal }: Admission): Promise<Reply> {
    const { request, response, found } = served
    try {
      if (refusal !== undefined || found.route === undefined) throw refusal
      // A copy would stay in memory as long as the answer.
      Object.assign(call, await readBody(request, response, found.route, options))
      return await found.route.handle(services.incoming(call))
    } catch (error) {
      if (error instanceof ModelOutage && error.delayMs > 0) {
        await sleepUntil(services.clock, services.clock.now() + error.delayMs).catch(() => {})
      }
      if (isInternal(error)) onInternalError(error)
      return errorReply(error)
    }
  }
}

async function writePage(response: ServerResponse, { contentType, text }: Page): Promise<void> {
  const content = Buffer.from(await text())
  response.writeHead(200, { 'content-type': contentType, 'content-length': content.length })
  response.end(content)
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
  return new ApiError(503, 'The server is going down', {
    code: 'service_unavailable',
    headers: { 'retry-after': '1', connection: 'close' },
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
