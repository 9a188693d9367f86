/** `serve --control`: sets answers, resets the server and lists its requests, for tests in any language. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { messageOf } from '../../../contract/text.ts'
import type { Journal, ReferenceServer } from '../../../reference-server/index.ts'
import type { AnswerScript } from '../../../reference-server/model/script/answer-script.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import type { Io } from '../terminal/io.ts'
import type { AnswerFlags } from './answers.ts'

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
    send(response, 403, { error: 'pages in browsers and other hosts have no access' })
  } else if (action === undefined) {
    const routes = Object.keys(actions).join(', ')
    send(response, 404, {
      error: `no route ${request.method} ${url.pathname}; there are: ${routes}`,
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
    err(`no directive, and so text of the prompt: ${text} (docs/client-development.md lists them)`)
  }
}

const maxLength = 100
const maxReports = 100
