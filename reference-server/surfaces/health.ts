/** Liveness and readiness, without a key. */

import { type Route, route } from '../http/call.ts'
import type { Services } from '../services.ts'
import { healthShape } from './shapes.ts'

export function healthRoutes({ store }: Pick<Services, 'store'>): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/healthz',
      summary: 'Tell whether the server is up',
      answer: { status: 200, body: healthShape },
      handle: async () => ({ status: 200, body: { status: 'ok' } }),
    }),
    route({
      method: 'GET',
      path: '/readyz',
      summary: 'Tell whether the server takes requests: not while it ends, or its database is away',
      answer: { status: 200, body: healthShape },
      handle: async () => {
        await store.ready()
        return { status: 200, body: { status: 'ok' } }
      },
    }),
  ]
}
