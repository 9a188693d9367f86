/** Routes by path and method, and the refusals of paths and methods that have none. */
import findMyWay from 'find-my-way'
import type { Call, Route } from './call.ts'
import { ApiError } from './errors.ts'

/** A page of the server itself, such as /docs, which is not part of the service. */
export interface Page {
  readonly path: string
  readonly contentType: string
  readonly text: () => string | Promise<string>
}

export interface Found {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly route?: Route | undefined
  readonly page?: Page | undefined
  /** Path with `:name` for parameters; undefined if no route has the path. */
  readonly path?: string
  /** Routes of the path by method. */
  readonly routes?: ReadonlyMap<string, Route | Page>
  /** True if the path has an invalid percent escape. */
  readonly isMalformed?: boolean
}

export interface Router {
  find(method: string | undefined, url: string | undefined): Found
  /** Refusal of a request for which there is neither a route nor a page. */
  refusal(found: Found, call: Pick<Call, 'method' | 'path'>): ApiError | undefined
}

interface PathEntry {
  readonly path: string
  readonly routes: Map<string, Route | Page>
}

export function createRouter(routes: readonly Route[], pages: readonly Page[]): Router {
  const router = findMyWay({
    ignoreTrailingSlash: true,
    maxParamLength: 1000,
    onBadUrl: () => {},
  })
  for (const entry of entriesOf(routes, pages)) router.on('GET', entry.path, () => {}, entry)

  function find(method = 'GET', url = '/'): Found {
    const found = router.find('GET', url)
    if (found === null) return nothing
    const entry: PathEntry | null = found.store
    if (entry === null) return { ...nothing, isMalformed: true }
    const served = entry.routes.get(method)
    const isRoute = served !== undefined && 'handle' in served
    return {
      params: found.params as Found['params'],
      query: found.searchParams,
      path: entry.path,
      routes: entry.routes,
      route: isRoute ? served : undefined,
      page: isRoute ? undefined : served,
    }
  }

  function refusal(found: Found, { method, path }: Pick<Call, 'method' | 'path'>) {
    if (found.route !== undefined || found.page !== undefined) return undefined
    if (found.isMalformed) return new ApiError(400, `Not a path: ${path}`, { code: 'bad_request' })
    if (found.routes !== undefined) return wrongMethod(method, [...found.routes.keys()].join(', '))
    const similar = candidates(path).find((one) => router.find('GET', one)?.store)
    return notFound(path, similar)
  }

  return { find, refusal }
}

const nothing: Found = { params: {}, query: {} }

function entriesOf(routes: readonly Route[], pages: readonly Page[]): Iterable<PathEntry> {
  const entries = new Map<string, PathEntry>()
  for (const served of [...routes, ...pages]) {
    const { path } = served
    const entry = entries.get(path) ?? { path, routes: new Map() }
    entries.set(path, entry)
    const method = 'method' in served ? served.method : 'GET'
    entry.routes.set(method, served)
    if (method === 'GET') entry.routes.set('HEAD', served)
  }
  return entries.values()
}

/** The same path under the prefixes of the service, without up to three leading segments. */
function candidates(path: string): readonly string[] {
  const rests = [0, 1, 2, 3].map((count) => path.split('/').slice(count + 1))
  return rests
    .filter(({ length }) => length > 0)
    .flatMap((rest) => ['/api', '/api/openai'].map((prefix) => [prefix, ...rest].join('/')))
}

function notFound(path: string, similar: string | undefined): ApiError {
  const hint =
    similar === undefined
      ? 'The service is below /api/openai, /api/v2, /api/v3 and /api/knowledge; /docs lists its routes'
      : `Did you mean ${similar}?`
  return new ApiError(404, `No such route: ${path}. ${hint}`, { code: 'not_found' })
}

function wrongMethod(method: string, allow: string): ApiError {
  return new ApiError(405, `${method} is not possible here; ${allow} is`, {
    code: 'method_not_allowed',
    headers: { allow },
  })
}
