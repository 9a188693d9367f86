/** The whole server: composition, listening and graceful shutdown. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as timeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { composeServices, type ServiceOptions } from './compose.ts'
import { createApp, type ServerPhase } from './http/app.ts'
import type { Route } from './http/call.ts'
import { answerClientError } from './http/errors.ts'
import { type CatalogModel, models } from './model/models.ts'
import type { AnswerScript } from './model/script/answer-script.ts'
import type { Observer } from './observability/observe.ts'
import type { RequestLogOptions } from './observability/request-log.ts'
import { type Runs, runRegistry } from './runtime/runs.ts'
import type { Services } from './services.ts'
import { openStore } from './store/open-store.ts'
import { allRoutes, docsPage, documented } from './surfaces/all-routes.ts'

// An import of node:http evaluates its getters, one of which loads the fetch of Node.js: 40 ms at startup.
const { createServer } = process.getBuiltinModule('node:http')

export interface ReferenceServerOptions extends Partial<Omit<ServiceOptions, 'script'>> {
  /** Answers that replace those of the fake model. */
  readonly script?: AnswerScript
  /** 0, the default, takes any free port. */
  readonly port?: number
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Bearer tokens; each is a separate caller. Default: one random key. */
  readonly keys?: readonly string[]
  /** Determines all text and all jitter. Default 1. */
  readonly seed?: number
  /** Largest file of an upload. Default 10 MiB. */
  readonly uploadLimitBytes?: number
  /** Grace period of `close` for open responses. Default 5000. */
  readonly closeDeadlineMs?: number
  /** Time between /readyz failing and new requests being rejected, in milliseconds. Default 0. */
  readonly drainDelayMs?: number
  /** Origins of pages in browsers that may call the server, such as `http://localhost:5173`; `*` is any. */
  readonly origins?: readonly string[]
  readonly observers?: readonly Observer[]
  /** Logs a line for each answered request. */
  readonly log?: Omit<RequestLogOptions, 'secrets'>
  /** Serves metrics in the Prometheus format at /metrics. Default false. */
  readonly metrics?: boolean
  /** Called with internal errors, for which clients get a 500 without details. */
  readonly onInternalError?: (error: unknown) => void
}

export interface ReferenceServer {
  /** URL without a path, such as `http://127.0.0.1:4010`. */
  readonly url: string
  readonly keys: readonly string[]
  readonly models: readonly CatalogModel[]
  /** The services in use, with the store. */
  readonly services: Services
  connections(): Promise<number>
  /**
   * Replaces all services: deletes chats and files, resets used script entries, and ends running generations;
   * streams under way keep their pace. Keeps URL, keys and a store from the options.
   */
  reset(): Promise<void>
  /** Replaces the script of answers; undefined uses only the fake model. */
  setScript(script: AnswerScript | undefined): void
  /**
   * Fails /readyz, rejects new requests with 503 while running answers finish, and ends what is left at the
   * deadline. May be called again; every call resolves when the server is down.
   */
  close(): Promise<void>
}

/** @throws the error of `listen`, such as EADDRINUSE */
export async function startReferenceServer(
  options: ReferenceServerOptions = {},
): Promise<ReferenceServer> {
  const keys = options.keys ?? [`sk-${randomBytes(24).toString('base64url')}`]
  const life: Life = { phase: 'serving', inFlight: runRegistry() }
  let { script } = options
  const parts = { ...options, keys, script: () => script }
  let current = await assemble(parts, life)
  const server = createServer(timeouts, (request, response) => current.app(request, response))
  server.on('clientError', answerClientError)
  const sockets = socketsOf(server)
  server.listen(options.port ?? 0, options.host ?? '127.0.0.1')
  await once(server, 'listening')
  let closed: Promise<void> | undefined

  async function end(): Promise<void> {
    const { drainDelayMs = 0, closeDeadlineMs = 5000 } = options
    life.phase = 'leaving'
    if (drainDelayMs > 0) await timeout(drainDelayMs)
    life.phase = 'draining'
    const { runs } = current.services
    const deadline = setTimeout(() => {
      runs.abort()
      server.closeAllConnections()
    }, closeDeadlineMs)
    // A connection would be kept alive after its last answer.
    const idle = setInterval(() => server.closeIdleConnections(), 25)
    // Listens until then, to answer new requests with 503.
    await Promise.all([life.inFlight.idle(), runs.idle()])
    const down = new Promise((resolve) => server.close(resolve))
    // To Node, a connection is not idle before its first request has been answered.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    await down
    clearInterval(idle)
    clearTimeout(deadline)
    if (options.store === undefined) await current.services.store.close()
  }

  return {
    url: listeningUrl(server),
    keys,
    models,
    get services() {
      return current.services
    },
    connections: () => promisify<number>((done) => server.getConnections(done))(),
    async reset() {
      const { runs, store } = current.services
      current = await assemble(parts, life)
      runs.abort()
      await runs.idle()
      // Other requests may still read the store.
      if (options.store === undefined) void life.inFlight.idle().then(() => store.close())
    },
    setScript(next) {
      script = next
    },
    close: () => {
      closed ??= end()
      return closed
    },
  }
}

interface Life {
  phase: ServerPhase
  readonly inFlight: Runs
}

type AssemblyOptions = Omit<ReferenceServerOptions, 'script'> &
  Pick<ServiceOptions, 'keys' | 'script'>

/** Log and metrics are loaded only if used, which is rare. */
async function assemble(options: AssemblyOptions, life: Readonly<Life>) {
  const { keys, seed = 1, store = await openStore('memory'), log, observers = [] } = options
  let services = composeServices({ ...options, seed, store })
  const pages: Route[] = []
  const ownObservers: Observer[] = []
  if (options.metrics === true) {
    const { serverMetrics } = await import('./observability/metrics.ts')
    const { runs, decode } = services
    const metrics = serverMetrics(() => runs.size)
    services = { ...services, decode: metrics.measured(decode) }
    pages.push(metrics.page)
    ownObservers.push(metrics.observer)
  }
  if (log !== undefined) {
    const { requestLog } = await import('./observability/request-log.ts')
    ownObservers.push(requestLog({ ...log, secrets: keys }))
  }
  const routes = documented(allRoutes(services))
  const app = createApp(services, [...routes, docsPage(routes), ...pages], {
    uploadLimitBytes: options.uploadLimitBytes ?? 10 * 1024 * 1024,
    phase: () => life.phase,
    inFlight: life.inFlight,
    onInternalError: options.onInternalError ?? (() => {}),
    origins: options.origins ?? [],
    observers: [...ownObservers, ...observers],
  })
  return { app, services }
}

/** Idle connections outlive those of a load balancer, which could otherwise use one as it closes. */
const timeouts = { requestTimeout: 120_000, keepAliveTimeout: 72_000 }

function socketsOf(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

function listeningUrl(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string') return ''
  const { family, port } = address
  const host = anyAddress[address.address] ?? address.address
  return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`
}

const anyAddress: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
