import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { requirements } from '../../../contract/index.ts'
import { parseJson } from '../../../contract/json.ts'
import { chartParts, entryScript, style } from '../../../reports/html/markup.ts'
import { ChatgenFailure, ConfigurationError } from '../../conformance/errors.ts'
import type { Session } from './session.ts'
import { type Compare, viewOf } from './view.ts'

/** Files of the page itself, without data of a run. */
const assetFolder = '/assets/'

/**
 * Serves the page of a session on loopback.
 * @param port 0 for a free one
 * @throws ConfigurationError if the port cannot be used
 */
export async function servePage(
  session: Session,
  { port, compare }: { readonly port: number; readonly compare: Compare },
) {
  const token = randomBytes(24).toString('base64url')
  const assets = pageAssets()
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      const isRefusal = error instanceof ChatgenFailure
      if (response.headersSent) response.destroy()
      else reply(response, isRefusal ? 409 : 500, isRefusal ? error.message : String(error))
    })
  })
  await listen(server, port)
  const { port: own } = server.address() as AddressInfo
  return {
    /** Address with the token. */
    url: `http://127.0.0.1:${own}/?token=${token}`,
    /** Closes it once open pages have had the time to show the last change. */
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
      case 'GET /view': {
        const view = await viewOf(session, url.searchParams, compare)
        return reply(response, 200, JSON.stringify(view), 'application/json')
      }
      case 'GET /events':
        return sendEvents(session, request, response)
      case 'POST /run': {
        const body = runRequest.safeParse(parseJson(await text(request)))
        if (!body.success) return reply(response, 400, 'Not a request of this page')
        if (session.start(body.data.scope)) return reply(response, 202, '')
        return reply(response, 409, 'A run is already under way, or there is nothing to run')
      }
      case 'POST /stop':
        await session.stop()
        return reply(response, 200, '')
    }
    const asset = assets.get(url.pathname.slice(assetFolder.length))
    if (asset !== undefined) return reply(response, 200, asset.text, asset.type)
    reply(response, 404, 'Not found')
  }
}

function sendEvents(session: Session, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { ...pageHeaders, 'content-type': 'text/event-stream' })
  response.write(': open\n\n')
  const tell = () => response.write('data: changed\n\n')
  session.changes.on('change', tell)
  const alive = setInterval(() => response.write(': alive\n\n'), aliveMs)
  request.on('close', () => {
    session.changes.off('change', tell)
    clearInterval(alive)
  })
}

const aliveMs = 15_000
const lastDrawingMs = 1500

const runRequest = z.strictObject({
  scope: z.union([
    z.enum(['all', 'failed']),
    z.array(z.string().refine((id) => Object.hasOwn(requirements, id))).min(1),
  ]),
})

function reply(
  response: ServerResponse,
  status: number,
  body: string,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, { ...pageHeaders, 'content-type': type }).end(body)
}

async function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  const listening = once(server.listen(port, '127.0.0.1'), 'listening')
  await listening.catch(({ code, message }: NodeJS.ErrnoException) => {
    const reason = code === 'EADDRINUSE' ? 'is in use' : `cannot be used: ${message}`
    throw new ConfigurationError([
      `port ${port} of 127.0.0.1 ${reason}; choose another with --port`,
    ])
  })
}

const script = 'text/javascript; charset=utf-8'
const css = 'text/css; charset=utf-8'

/** Files of the page by their path; those of the reports are the same. */
export function pageAssets() {
  const charts = chartParts([])
  const preact = createRequire(import.meta.url).resolve('preact')
  return new Map([
    ['style.css', { type: css, text: [charts.style, style, pageFile('page.css')].join('\n') }],
    ['charts.js', { type: script, text: charts.scripts.join('\n') }],
    ['entries.js', { type: script, text: entryScript }],
    ['preact.mjs', { type: script, text: readFileSync(preact, 'utf8') }],
    ['app.mjs', { type: script, text: pageFile('app.mjs') }],
  ])
}

const pageFile = (name: string) => readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8')

const imports = JSON.stringify({ imports: { preact: `${assetFolder}preact.mjs` } })

/** The page before its script has drawn anything. */
export const pageFrame = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>chatgen</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assetFolder}style.css">
<script type="importmap">${imports}</script>
<script src="${assetFolder}charts.js" defer></script>
<script src="${assetFolder}entries.js" defer></script>
<script type="module" src="${assetFolder}app.mjs"></script>
</head>
<body>
<a class="skip" href="#app">To the results</a>
<p id="alert" class="doubt" role="alert" hidden></p>
<div id="app" tabindex="-1"></div>
<p id="status" class="unseen" role="status"></p>
</body>
</html>
`

/** Headers of every response: nothing but the files of this page is loaded or run, and no page embeds it. */
export const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash('sha256', imports, 'base64')}'`,
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const

/**
 * The reason to refuse a request; null for one of the page. Nothing that a browser sends by itself, such as a
 * cookie, gives access, so that another page can do nothing with the browser of the user.
 */
export function refusal(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  url: URL,
  page: { readonly port: number; readonly token: string },
): string | null {
  const { host = '', origin, authorization } = headers
  // A name that an attacker lets resolve to 127.0.0.1 (DNS rebinding).
  if (![`127.0.0.1:${page.port}`, `localhost:${page.port}`].includes(host)) return 'wrong host'
  if (origin !== undefined && origin !== `http://${host}`) return 'another origin'
  const site = headers['sec-fetch-site'] ?? 'same-origin'
  const isLink =
    method === 'GET' && url.pathname === '/' && headers['sec-fetch-mode'] === 'navigate'
  if (site !== 'same-origin' && site !== 'none' && !isLink) return 'another site'
  if (method === 'GET' && url.pathname.startsWith(assetFolder)) return null
  const given = /^Bearer (.+)$/.exec(authorization ?? '')?.[1]
  const token = given ?? (method === 'GET' ? url.searchParams.get('token') : null)
  if (token === null || !isEqual(token, page.token)) {
    return 'no token, or a wrong one: open the address that chatgen printed'
  }
  return null
}

function isEqual(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)]
  return a.length === b.length && timingSafeEqual(a, b)
}
