/** Liveness, without a key. */

import { type Route, route } from '../http/call.ts'
import { healthShape } from './shapes.ts'

export function healthRoutes(): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/healthz',
      summary: 'Tell whether the server is up',
      answer: { status: 200, body: healthShape },
      handle: async () => ({ status: 200, body: { status: 'ok' } }),
    }),
  ]
}
