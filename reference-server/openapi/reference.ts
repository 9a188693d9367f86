/** GET /openapi.json and /docs, which need no key. Both are generated, and their modules loaded, on request. */
import { z } from 'zod'
import { pageRoute, type Route, route } from '../http/call.ts'

/** The routes including GET /openapi.json. */
export function documented(others: readonly Route[]): readonly Route[] {
  const routes: readonly Route[] = [
    ...others,
    route('GET', '/openapi.json', {
      summary: 'Show this document',
      answer: z.looseObject({ openapi: z.string() }),
      handle: async () => (await import('./document.ts')).openApiDocument(routes),
    }),
  ]
  return routes
}

export function docsPage(routes: readonly Route[]): Route {
  return pageRoute('/docs', 'text/html; charset=utf-8', async () =>
    (await import('./reference-page.ts')).referencePage(routes),
  )
}
