/** Patches of requests before the handlers, and rejections. */
import type { Call } from '../../http/call.ts'
import { ApiError } from '../../http/errors.ts'
import type { Patch } from '../../services.ts'

import { type Json, toObject } from './json.ts'
import { matches, type Where } from './routes.ts'

/** Patch of requests before the handlers see them. */
export function onRequest(where: Where, change: (call: Call) => Call): Patch {
  return (services) => ({
    ...services,
    incoming: (call) => {
      const request = services.incoming(call)
      return matches(where, request) ? change(request) : request
    },
  })
}

/** Patch of JSON request bodies. */
export function onRequestBody(where: Where, change: (body: Json, call: Call) => Json): Patch {
  return onRequest(where, (call) => ({ ...call, body: change(toObject(call.body), call) }))
}

/** Rejects requests that should succeed. */
export function rejectRequests(
  where: Where,
  when: (body: Json, call: Call) => boolean,
  status = 400,
  message = 'Not like this',
): Patch {
  return onRequest(where, (call) => {
    if (when(toObject(call.body), call)) throw new ApiError(status, message)
    return call
  })
}
