import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Files of the page itself, without data of a run. */
export const assetFolder = '/assets/'

export interface Page {
  readonly port: number
  readonly token: string
}

/**
 * The reason to refuse a request; null for one of the page. Nothing that a browser sends by itself, such as a
 * cookie, gives access, so that another page can do nothing with the browser of the user.
 */
export function refusal(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  url: URL,
  page: Page,
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
