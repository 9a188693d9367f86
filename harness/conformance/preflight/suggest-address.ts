import { bodyText, type Exchange, header } from '../../../contract/index.ts'

/** Base addresses above this one, the likeliest first: without `/api` and what follows, and its parents. */
export function basesAbove(baseUrl: string): string[] {
  const url = new URL(baseUrl)
  const parts = url.pathname.split('/').filter((part) => part !== '')
  const api = parts.indexOf('api')
  const lengths = [api, ...parts.map((_, at) => parts.length - 1 - at)].filter(
    (length) => length >= 0,
  )
  return [...new Set(lengths)].slice(0, maxBases).map((length) => {
    url.pathname = parts.slice(0, length).join('/')
    return withoutSlash(url)
  })
}

const maxBases = 4

/** The base address that a redirect of one of our routes leads to; undefined where it is another page. */
export function baseOfRedirect(exchange: Exchange, baseUrl: string): string | undefined {
  const location = header(exchange.response?.headers ?? [], 'location')
  const { url } = exchange.request
  if (location === undefined || !URL.canParse(location, url)) return undefined
  const target = new URL(location, url)
  const route = new URL(url).pathname.slice(new URL(baseUrl).pathname.replace(/\/+$/, '').length)
  const path = target.pathname.replace(/\/+$/, '')
  if (!/^https?:$/.test(target.protocol) || !path.endsWith(route)) return undefined
  target.pathname = path.slice(0, -route.length)
  target.search = ''
  target.hash = ''
  const base = withoutSlash(target)
  return base === withoutSlash(new URL(baseUrl)) ? undefined : base
}

/** `https` where a server says that plain HTTP came to its TLS port. */
export function baseByTls(exchange: Exchange, baseUrl: string): string | undefined {
  if (!baseUrl.startsWith('http:') || exchange.response?.status !== 400) return undefined
  const said = /plain http request was sent to https port|client sent an http request to an https/i
  return said.test(bodyText(exchange)) ? baseUrl.replace(/^http:/, 'https:') : undefined
}

function withoutSlash(url: URL): string {
  return url.href.replace(/\/+$/, '')
}
