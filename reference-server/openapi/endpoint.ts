/** GET /openapi.json, without a key: the document of all the other routes, and of itself. */
import { z } from 'zod'
import { type Route, route } from '../http/call.ts'
import { openApiDocument } from './document.ts'

export interface Documented {
  /** Routes, with the one that shows the document. */
  readonly routes: readonly Route[]
  /** Made when it is first asked for. */
  readonly document: () => object
}

export function documented(others: readonly Route[]): Documented {
  let made: object | undefined
  const document = () => {
    made ??= openApiDocument(routes)
    return made
  }
  const routes = [...others, openApiRoute(document)]
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
