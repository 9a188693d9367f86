import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { requirements } from '../../../contract/index.ts'
import { ChatgenFailure, ConfigurationError } from '../../conformance/errors.ts'
import { assetFolder, refusal } from './access.ts'
import { pageAssets, pageFrame, pageHeaders } from './assets.ts'
import type { Session } from './session.ts'
import { type Compare, type View, viewOf } from './view.ts'

export interface PageServer {
  /** Address with the token. */
  readonly url: string
  /** Closes it once open pages have had the time to show the last change. */
  close(): Promise<void>
}

/**
 * Serves the page of a session on loopback.
 * @param port 0 for a free one
 * @throws ConfigurationError if the port cannot be used
 */
export async function servePage(
  session: Session,
  { port, compare }: { readonly port: number; readonly compare: Compare },
): Promise<PageServer> {
  const token = randomBytes(24).toString('base64url')
  const assets = pageAssets()
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) reply(response, 500, String(error))
      else response.destroy()
    })
  })
  await listen(server, port)
  const address = server.address()
  const own = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://127.0.0.1:${own}/?token=${token}`,
    close: async () => {
      if (session.isWatched) await setTimeout(lastDrawingMs)
      server.close()
      server.closeAllConnections()
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const reason = refusal(request, url, { port: own, token })
    if (reason !== null) return reply(response, 403, `Refused: ${reason}`)
    switch (`${request.method} ${url.pathname}`) {
      case 'GET /':
        return reply(response, 200, pageFrame, 'text/html; charset=utf-8')
      case 'GET /view':
        return sendView(response, viewOf(session, url.searchParams, compare))
      case 'GET /events':
        return sendEvents(session, request, response)
      case 'POST /run':
        return startRun(session, request, response)
      case 'POST /stop':
        await session.stop()
        return reply(response, 200, '')
    }
    const asset = assets.get(url.pathname.slice(assetFolder.length))
    if (asset !== undefined) return reply(response, 200, asset.text, asset.type)
    reply(response, 404, 'Not found')
  }
}

async function sendView(response: ServerResponse, view: Promise<View>): Promise<void> {
  try {
    reply(response, 200, JSON.stringify(await view), 'application/json')
  } catch (error) {
    if (!(error instanceof ChatgenFailure)) throw error
    reply(response, 409, error.message)
  }
}

function sendEvents(session: Session, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { ...pageHeaders, 'content-type': 'text/event-stream' })
  response.write(': open\n\n')
  const forget = session.onChange(() => response.write('data: changed\n\n'))
  const alive = setInterval(() => response.write(': alive\n\n'), aliveMs)
  request.on('close', () => {
    forget()
    clearInterval(alive)
  })
}

async function startRun(
  session: Session,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = runRequest.safeParse(parsed(await text(request)))
  if (!body.success) return reply(response, 400, 'Not a request of this page')
  const isStarted = session.check(body.data.scope)
  reply(
    response,
    isStarted ? 202 : 409,
    isStarted ? '' : 'A run is under way, or nothing is to be run',
  )
}

const aliveMs = 15_000
const lastDrawingMs = 1500

const runRequest = z.object({
  scope: z.union([
    z.enum(['all', 'failed']),
    z.array(z.string().refine((id) => Object.hasOwn(requirements, id))).min(1),
  ]),
})

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function reply(
  response: ServerResponse,
  status: number,
  body: string,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, { ...pageHeaders, 'content-type': type }).end(body)
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be used: ${error.message}`
      reject(
        new ConfigurationError([`port ${port} of 127.0.0.1 ${reason}; choose another with --port`]),
      )
    })
    server.listen(port, '127.0.0.1', resolve)
  })
}
