/** GET /openapi.json, without a key: the document of all the other routes. */
import { z } from 'zod'
import { type Route, route } from '../http/call.ts'
import { openApiDocument } from './document.ts'

export interface Documented {
  /** With the route that shows the document. */
  readonly routes: readonly Route[]
  readonly document: object
}

export function documented(others: readonly Route[]): Documented {
  const routes = [...others, openApiRoute(() => document)]
  const document = openApiDocument(routes)
  return { routes, document }
}

function openApiRoute(document: () => object): Route {
  return route({
    method: 'GET',
    path: '/openapi.json',
    summary: 'Show this document',
    answer: { status: 200, body: z.looseObject({ openapi: z.string() }) },
    handle: async () => ({ status: 200, body: document() }),
  })
}
