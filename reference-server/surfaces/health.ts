/** Liveness, without a key. */
import { type Route, route } from '../http/call.ts'

export function healthRoutes(): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/healthz',
      summary: 'Tell whether the server is up',
      handle: async () => ({ status: 200, body: { status: 'ok' } }),
    }),
  ]
}
