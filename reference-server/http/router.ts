/** Routes by path and method, and the refusals of paths and methods that have none. */
import findMyWay from 'find-my-way'
import type { Route } from './call.ts'
import { ApiError } from './errors.ts'

export interface Found {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** Path with `:name` for parameters; undefined if no route has the path. */
  readonly path?: string
  /** The route, or the refusal of a request that has none. */
  readonly route: Route | (() => ApiError)
}

export type Router = (method: string | undefined, url: string | undefined) => Found

export function createRouter(routes: readonly Route[]): Router {
  const router = findMyWay({
    ignoreTrailingSlash: true,
    maxParamLength: 1000,
    onBadUrl: () => {},
  })
  for (const [path, own] of Map.groupBy(routes, ({ path }) => path)) {
    router.on('GET', path, () => {}, { path, byMethod: routesByMethod(own) })
  }

  return (method = 'GET', url = '/') => {
    const found = router.find('GET', url)
    const path = url.split('?', 1)[0] ?? ''
    if (!found?.store) {
      const isMalformed = found !== null
      const refusal = () => (isMalformed ? malformed(path) : notFound(path, similarTo(path)))
      return { params: {}, query: {}, route: refusal }
    }
    const { path: pattern, byMethod }: PathEntry = found.store
    return {
      params: found.params as Found['params'],
      query: found.searchParams,
      path: pattern,
      route: byMethod.get(method) ?? (() => wrongMethod(method, [...byMethod.keys()].join(', '))),
    }
  }

  /** The same path under the prefixes of the service, without up to three leading segments. */
  function similarTo(path: string): string | undefined {
    return [1, 2, 3, 4]
      .map((count) => path.split('/').slice(count))
      .filter(({ length }) => length > 0)
      .flatMap((rest) => ['/api', '/api/openai'].map((prefix) => [prefix, ...rest].join('/')))
      .find((one) => router.find('GET', one)?.store)
  }
}

interface PathEntry {
  readonly path: string
  readonly byMethod: ReadonlyMap<string, Route>
}

function routesByMethod(routes: readonly Route[]): ReadonlyMap<string, Route> {
  return new Map(
    routes.flatMap((route) =>
      (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]).map((method) => [method, route]),
    ),
  )
}

function malformed(path: string): ApiError {
  return new ApiError(400, `Not a path: ${path}`, 'bad_request')
}

function notFound(path: string, similar: string | undefined): ApiError {
  const hint =
    similar === undefined
      ? 'The service is below /api/openai, /api/v2, /api/v3 and /api/knowledge; /docs lists its routes'
      : `Did you mean ${similar}?`
  return new ApiError(404, `No such route: ${path}. ${hint}`, 'not_found')
}

function wrongMethod(method: string, allow: string): ApiError {
  const message = `${method} is not allowed here; use ${allow}`
  return new ApiError(405, message, 'method_not_allowed', null, { allow })
}
