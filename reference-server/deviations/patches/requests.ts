/** Requests that deviations change: their operations, patches before the handlers, and rejections. */
import { type OperationId, operationAt } from '../../../contract/operations.ts'
import type { Call } from '../../http/call.ts'
import { ApiError } from '../../http/errors.ts'
import type { Patch } from '../../services.ts'
import { type Json, toObject } from './json.ts'

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

/** Routes of knowledge bases, whose paths are ours. */
export const knowledgeRoutes = {
  'knowledge.search': /^\w+ \/api\/(v3\/)?knowledge\/[^/]+\/search$/,
  'knowledge.bases': /^GET \/api\/v3\/knowledge$/,
  'knowledge.plainBases': /^GET \/api\/knowledge$/,
  'knowledge.addDocument': /^POST \/api\/v3\/knowledge\/[^/]+\/documents$/,
  'knowledge.plainUpload': /^POST \/api\/knowledge\/[^/]+\/documents$/,
} as const

/** The operations of the contract, and the routes of knowledge bases. */
export type FaultyOperation = OperationId | keyof typeof knowledgeRoutes

interface Place {
  readonly method: string
  readonly path: string
}

export function operationOf({ method, path }: Place): FaultyOperation | undefined {
  const [route] =
    Object.entries(knowledgeRoutes).find(([, one]) => one.test(`${method} ${path}`)) ?? []
  return (route as FaultyOperation | undefined) ?? operationAt(method, path)
}

/** The requests that a patch affects: those of an operation, of some, or that meet a condition. */
export type Where = FaultyOperation | readonly FaultyOperation[] | ((request: Place) => boolean)

export const everywhere: Where = () => true
/** v2, v3 and the knowledge bases. */
export const native: Where = ({ path }) => !path.startsWith('/api/openai')
export const ofV3: Where = ({ path }) => path.startsWith('/api/v3/')

export function matches(where: Where, request: Place): boolean {
  if (typeof where === 'function') return where(request)
  const path = request.path.replace(/\/$/, '')
  const operation = operationOf({ ...request, path })
  return operation !== undefined && [where].flat().includes(operation)
}

export const mainModel = 'svc-main-model'
export const mainAlias = 'SVC-Main'
export const visionModel = 'SVC-Vision'

/** The chat that a request names in its path or its body. */
export function chatIdOf({ body, params }: Call): string {
  return params['chat_id'] ?? String(toObject(body)['chat_id'])
}
