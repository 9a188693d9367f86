/** The reference server as the flags of `serve` describe it; problems are errors of a flag. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { messageOf } from '../../../contract/text.ts'
import type {
  Journal,
  ReferenceServer,
  ReferenceServerOptions,
  Store,
} from '../../../reference-server/index.ts'
import type { AnswerScript } from '../../../reference-server/model/script/answer-script.ts'
import { asConfigurationError, ConfigurationError } from '../../conformance/errors.ts'
import { type FlagsOf, flagTable } from '../flags.ts'
import type { Io } from '../terminal/io.ts'
import { optionalDuration } from '../values.ts'
import type { AnswerFlags } from './answers.ts'

const reference = () => import('../../../reference-server/index.ts')

/** @throws ConfigurationError that says why it cannot listen */
export async function listen(options: ReferenceServerOptions): Promise<ReferenceServer> {
  const { startReferenceServer } = await reference()
  try {
    return await startReferenceServer(options)
  } catch (error) {
    await options.store?.close()
    throw new ConfigurationError([`cannot listen: ${reasonOf(error, options)}`])
  }
}

function reasonOf(error: unknown, { host, port }: ReferenceServerOptions): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') {
    return `port ${port} of ${host} is in use (EADDRINUSE); choose another with --port, or --port 0 for a free one`
  }
  if (code === 'EACCES')
    return `port ${port} requires root privileges (EACCES); choose another with --port`
  return messageOf(error)
}

/** @throws ConfigurationError */
export async function speedOptions({
  pace,
  engine,
}: {
  readonly pace?: string
  readonly engine?: string
}): Promise<Pick<ReferenceServerOptions, 'pace' | 'engine'>> {
  if (pace !== undefined && engine !== undefined) {
    throw new ConfigurationError(['--engine sets the pace: pass --pace or --engine, not both'])
  }
  const { EngineSyntaxError, PaceSyntaxError, parseEngine, parsePace } = await reference()
  if (pace !== undefined)
    return { pace: asConfigurationError(PaceSyntaxError, () => parsePace(pace), '--pace') }
  if (engine === undefined) return {}
  return { engine: asConfigurationError(EngineSyntaxError, () => parseEngine(engine), '--engine') }
}

/**
 * The store that `--store` names; without one, the server has its own, in memory.
 * @throws ConfigurationError for a store that cannot be opened
 */
export async function openedStore({
  store: text,
  lease,
}: ServiceFlags): Promise<{ readonly store?: Store; readonly name: string }> {
  if (text === 'memory') return { name: text }
  const { openStore, StoreOpenError, storeName } = await reference()
  try {
    return {
      store: await openStore(text, lease === undefined ? {} : { leaseMs: lease }),
      name: storeName(text),
    }
  } catch (error) {
    if (error instanceof StoreOpenError) throw new ConfigurationError([`--store: ${error.message}`])
    throw error
  }
}

/** Flags of a server that stores its state, and whose runs others take over when it ends. Times in milliseconds. */
export function serviceFlags() {
  return flagTable(
    `
    --store <store>=memory  storage of chats, files and idempotency keys: memory, sqlite:FILE or postgres://...
    --lease <duration>:time  time until the key of a run is free if its server has died (default: 10s)
    --running-repeat <answer>  answer to a repeat while the first request runs: 409 or wait (default: 409)
    --drain-delay <duration>:optionalDuration  after SIGTERM, time between /readyz failing and 503 to new requests
      (default: none)
    --drain-timeout <duration>:time=15s  after SIGTERM, time for open responses to finish`,
    { answer: ['409', 'wait'], optionalDuration },
  )
}

export type ServiceFlags = FlagsOf<typeof serviceFlags>

export function serviceOptions({
  runningRepeat,
  drainDelay,
  drainTimeout,
}: ServiceFlags): ReferenceServerOptions {
  return {
    closeDeadlineMs: drainTimeout,
    ...(drainDelay === undefined ? {} : { drainDelayMs: drainDelay }),
    ...(runningRepeat === undefined ? {} : { runningRepeat }),
  }
}

/** `serve --control`: sets answers, resets the server and lists its requests, for tests in any language. */
interface Controlled {
  readonly server: Pick<ReferenceServer, 'reset' | 'setScript'>
  readonly journal: Journal
  /** Script of the flags, which a reset restores. */
  readonly script: () => AnswerScript | undefined
}

async function respond(
  controlled: Controlled,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  const action = actions[`${request.method} ${url.pathname}`]
  if (isFromPage(request)) {
    send(response, 403, { error: 'browser pages and other hosts have no access' })
  } else if (action === undefined) {
    const routes = Object.keys(actions).join(', ')
    send(response, 404, {
      error: `no route ${request.method} ${url.pathname}; the routes are ${routes}`,
    })
  } else {
    try {
      const body = await action(controlled, url.searchParams, request)
      send(response, body === undefined ? 204 : 200, body)
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error
      send(response, 400, { error: error.message })
    }
  }
}

/** A page of another site could send requests to loopback, or have its name resolved to it. */
function isFromPage({ headers }: IncomingMessage): boolean {
  const isLoopback = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(headers.host ?? '')
  return headers.origin !== undefined || !isLoopback
}

type Action = (controlled: Controlled, query: URLSearchParams, request: IncomingMessage) => unknown

const actions: Readonly<Record<string, Action>> = {
  'GET /requests': ({ journal }, query) => ({
    requests: journal
      .entries()
      .filter(
        (entry) =>
          (query.get('method') ?? entry.method) === entry.method &&
          (query.get('path') ?? entry.path) === entry.path,
      ),
  }),
  'DELETE /requests': ({ journal }) => journal.clear(),
  'PUT /answers': async ({ server }, _query, request) => {
    const { parseScript } = await import('./answers.ts')
    server.setScript(parseScript('answers', await text(request)))
  },
  'DELETE /answers': ({ server, script }) => server.setScript(script()),
  'POST /reset': async ({ server, journal, script }) => {
    server.setScript(script())
    await server.reset()
    journal.clear()
  },
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (body === undefined) {
    response.writeHead(status).end()
    return
  }
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(`${JSON.stringify(body)}\n`)
}

interface Served {
  readonly server: ReferenceServer
  readonly journal: Journal | undefined
  readonly script: AnswerScript | undefined
}

/**
 * Watches the script of the flags, and listens at their control port on loopback, without a key.
 * @throws ConfigurationError if the control port is taken; the server is then closed
 */
export async function startExtras(
  { script: file, control: port }: AnswerFlags & { readonly control?: number },
  { server, journal, script: first }: Served,
  io: Io,
) {
  let script = first
  const use = (next: AnswerScript) => {
    script = next
    server.setScript(next)
  }
  const unwatch =
    file === undefined ? () => {} : (await import('./answers.ts')).watchScript(file, use, io.err)
  if (port === undefined || journal === undefined) return { controlUrl: undefined, close: unwatch }
  // Costs every start of a server a tenth of its time.
  const { createServer } = await import('node:http')
  const controlled = { server, journal, script: () => script }
  const control = createServer((request, response) => {
    respond(controlled, request, response).catch(() => response.destroy())
  })
  try {
    await once(control.listen(port, '127.0.0.1'), 'listening')
  } catch (error) {
    unwatch()
    await server.close()
    throw new ConfigurationError([`--control: cannot listen on port ${port}: ${messageOf(error)}`])
  }
  return {
    controlUrl: `http://127.0.0.1:${(control.address() as AddressInfo).port}`,
    async close() {
      unwatch()
      control.closeAllConnections()
      control.close()
      await once(control, 'close')
    },
  }
}

/** Reports each unknown directive once. */
export function mistypedReporter({ err }: Pick<Io, 'err'>): (directive: string) => void {
  const reported = new Set<string>()
  return (directive) => {
    const text = directive.slice(0, maxLength)
    if (reported.has(text) || reported.size >= maxReports) return
    reported.add(text)
    err(
      `not a directive, so it stays in the prompt: ${text} (docs/client-development.md lists the directives)`,
    )
  }
}

const maxLength = 100
const maxReports = 100
