/** The routes on fastify: admission, bodies, refusals. Handlers and the writer do the rest. */
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { ModelOutage } from '../model/types.ts'
import { type Observers, observe } from '../observability/observe.ts'
import { sleepUntil } from '../runtime/clock.ts'
import type { InFlight } from '../runtime/in-flight.ts'
import type { Services } from '../services.ts'
import { unauthorized } from './auth.ts'
import type { Call, Reply, Route } from './call.ts'
import { allowOrigins } from './cors.ts'
import { ApiError, answerClientError, errorReply, isInternal } from './errors.ts'
import { acceptForms, readForm } from './form.ts'
import { parseJsonBody } from './json-body.ts'
import type { Standing } from './rate-limit.ts'
import { takeOver } from './take-over.ts'
import { writeReply } from './writer.ts'

/** `leaving`: not ready, so that balancers turn away, but still answering; `draining`: 503 to new requests. */
export type ServerPhase = 'serving' | 'leaving' | 'draining'

export interface AppOptions extends Observers {
  readonly bodyLimitBytes: number
  /** Largest file of an upload. */
  readonly uploadLimitBytes: number
  readonly phase: () => ServerPhase
  readonly inFlight: InFlight
  readonly onInternalError: (error: unknown) => void
  /** Origins of pages in browsers that may call the server; empty: none. */
  readonly origins: readonly string[]
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the first hook, for every request that gets further; with its body once that is read. */
    call: Call
    /** Made for the request; absent for preflights and pages. */
    answered?: Reply
    /** Headers of the rate limit. */
    standing: Standing['headers']
  }
  interface FastifyContextConfig {
    /** Allow header of the routes that stand for the methods a path does not have. */
    allow?: string
  }
}

export async function buildApp(
  services: Services,
  routes: readonly Route[],
  options: AppOptions,
): Promise<{ readonly app: FastifyInstance }> {
  const admission = createAdmission(services, options)
  const answer = createAnswering(services, options)
  const refuse = (request: FastifyRequest, reply: FastifyReply, error: unknown) =>
    answer(request, reply, () => Promise.reject(error))
  const app = fastify({
    bodyLimit: options.bodyLimitBytes,
    return503OnClosing: false,
    exposeHeadRoutes: false,
    requestTimeout: 120_000,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1000 },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      void refuse(request, reply, admission(request, reply) ?? error)
    },
  })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => parseJsonBody(body),
  )

  observe(app, options)
  if (options.origins.length > 0) await allowOrigins(app, options.origins)
  app.addHook('onRequest', (request, reply, done) => {
    const refusal = admission(request, reply)
    if (refusal === undefined) done()
    else refuse(request, reply, refusal).catch(done)
  })
  app.setErrorHandler((error, request, reply) => refuse(request, reply, error))
  app.setNotFoundHandler((request, reply) => refuse(request, reply, notFound(request)))

  for (const route of routes.filter(({ accepts }) => accepts === 'json')) {
    serve(app, route, async ({ body }) => ({ body, file: undefined }))
  }
  // Apart from the others, so that only these routes can be sent a form.
  app.register(async (forms) => {
    await acceptForms(forms)
    for (const route of routes.filter(({ accepts }) => accepts === 'form')) {
      serve(forms, route, (request) => readForm(request, options.uploadLimitBytes))
    }
  })
  for (const [path, allow] of methodsByPath(routes)) {
    app.route({
      method: app.supportedMethods.filter((method) => !allow.has(method)),
      url: path,
      config: { allow: [...allow].join(', ') },
      handler: () => {},
    })
  }
  // Bare, it would be taken for a promise and be started.
  return { app }

  function serve(on: FastifyInstance, route: Route, read: ReadBody): void {
    on.route({
      method: withHead(route.method),
      url: route.path,
      handler: (request, reply) =>
        options.inFlight.track(
          answer(request, reply, async () => {
            const params = request.params as Call['params']
            request.call = { ...request.call, params, ...(await read(request)) }
            return route.handle(services.incoming(request.call))
          }),
        ),
    })
  }
}

/** Refuses all that can be refused on the head of a request alone; the body is then never read. */
function createAdmission(services: Services, { phase: phaseNow }: Pick<AppOptions, 'phase'>) {
  const isTurnedAway = (path: string): boolean => {
    const phase = phaseNow()
    return path === '/readyz' ? phase !== 'serving' : phase === 'draining' && path !== '/healthz'
  }
  return (request: FastifyRequest, reply: FastifyReply): ApiError | undefined => {
    request.call = callOf(request, reply, services)
    request.standing = {}
    const { path, caller } = request.call
    if (/^\/api(\/|$)/.test(path)) {
      if (caller === '') return unauthorized(request.headers.authorization)
      const { headers, refusal } = services.limit(caller, services.clock.now())
      request.standing = headers
      if (refusal !== undefined) return refusal
    }
    if (isTurnedAway(path)) return goingDown()
    if (request.is404) return notFound(request)
    const { allow } = request.routeOptions.config
    return allow === undefined ? undefined : wrongMethod(request.method, allow)
  }
}

type Handle = () => Promise<Reply>

/** Writes what a handler makes of a request, or the refusal that it ends in. */
function createAnswering(
  services: Services,
  { onInternalError }: Pick<AppOptions, 'onInternalError'>,
) {
  return async (request: FastifyRequest, reply: FastifyReply, handle: Handle): Promise<void> => {
    takeOver(reply)
    try {
      const made = await settle(handle)
      const { call } = request
      await services.pause(call.signal)
      const headers = { ...request.standing, ...made.headers }
      request.answered = services.outgoing(call, { ...made, headers })
      await writeReply(reply.raw, call, request.answered, services)
    } catch (error) {
      reply.raw.destroy()
      if (isInternal(error)) onInternalError(error)
    }
  }

  async function settle(handle: Handle): Promise<Reply> {
    try {
      return await handle()
    } catch (error) {
      if (error instanceof ModelOutage && error.delayMs > 0) {
        await sleepUntil(services.clock, services.clock.now() + error.delayMs).catch(() => {})
      }
      if (isInternal(error)) onInternalError(error)
      return errorReply(error)
    }
  }
}

type ReadBody = (request: FastifyRequest) => Promise<Pick<Call, 'body' | 'file'>>

function callOf(request: FastifyRequest, reply: FastifyReply, services: Services): Call {
  const receivedNs = process.hrtime.bigint()
  const { headers, method } = request
  const path = request.url.split('?', 1)[0] ?? ''
  return {
    id: requestId(headers['x-request-id']) ?? services.ids.tagged('req'),
    method,
    path,
    params: {},
    headers,
    query: request.query,
    body: undefined,
    file: undefined,
    caller: services.authenticate(headers.authorization, { method, path }) ?? '',
    receivedNs,
    signal: leaving(reply),
  }
}

/** The client's own id comes back to it, if it can stand in a header. */
function requestId(given: string | string[] | undefined): string | undefined {
  return typeof given === 'string' && /^[\x21-\x7e]{1,200}$/.test(given) ? given : undefined
}

function leaving({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort()
  })
  return controller.signal
}

function withHead(method: Route['method']): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method]
}

function methodsByPath(routes: readonly Route[]): Map<string, Set<string>> {
  const byPath = new Map<string, Set<string>>()
  for (const { path, method } of routes) {
    const methods = byPath.get(path) ?? new Set()
    byPath.set(path, methods)
    for (const name of withHead(method)) methods.add(name)
  }
  return byPath
}

function notFound({ call }: FastifyRequest): ApiError {
  return new ApiError(404, `No such route: ${call.path}`, { code: 'not_found' })
}

function wrongMethod(method: string, allow: string): ApiError {
  return new ApiError(405, `${method} is not possible here; ${allow} is`, {
    code: 'method_not_allowed',
    headers: { allow },
  })
}

function goingDown(): ApiError {
  return new ApiError(503, 'The server is going down', {
    code: 'service_unavailable',
    headers: { 'retry-after': '1', connection: 'close' },
  })
}
