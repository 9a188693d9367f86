/** GET /openapi.json and /docs, which need no key. Both are generated, and their modules loaded, on request. */
import { z } from 'zod'
import { type Route, route } from '../http/call.ts'
import type { Page } from '../http/router.ts'

/** The routes including GET /openapi.json. */
export function documented(others: readonly Route[]): readonly Route[] {
  const routes: readonly Route[] = [
    ...others,
    route('GET', '/openapi.json', {
      summary: 'Show this document',
      answer: { status: 200, body: z.looseObject({ openapi: z.string() }) },
      handle: async () => {
        const { openApiDocument } = await import('./document.ts')
        return { status: 200, body: openApiDocument(routes) }
      },
    }),
  ]
  return routes
}

export function docsPage(routes: readonly Route[]): Page {
  return {
    path: '/docs',
    contentType: 'text/html; charset=utf-8',
    text: async () => (await import('./reference-page.ts')).referencePage(routes),
  }
}
