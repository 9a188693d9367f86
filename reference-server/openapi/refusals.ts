/** The refusals of each operation (section 8), derived from its path, its schemas and its headers. */
import { z } from 'zod'
import type { JsonObject } from '../../contract/json.ts'
import type { Route } from '../http/call.ts'
import { ApiError, errorReply } from '../http/errors.ts'

type Refusal = readonly [name: string, description: string, code: string, message: string]

const refusals = {
  400: ['BadRequest', 'Invalid request', 'invalid_value', 'model: expected string'],
  401: ['Unauthorized', 'No valid API key', 'invalid_api_key', 'A valid API key is required'],
  403: ['Forbidden', 'Not allowed', 'knowledge_base_fixed', 'This base is part of the catalog'],
  404: ['NotFound', 'Unknown, or owned by another user', 'chat_not_found', 'No chat "…"'],
  409: ['Conflict', 'Conflict with stored data', 'wrong_chat_version', 'This is a v2 chat'],
  413: ['TooLarge', 'Body or file too large', 'body_too_large', 'The body is too large'],
  415: ['MediaType', 'Media type not accepted', 'unsupported_media_type', 'Not accepted here'],
  422: [
    'KeyReused',
    'Idempotency-Key used with another payload',
    'idempotency_key_reused',
    'This Idempotency-Key was used with another payload',
  ],
  429: ['TooManyRequests', 'Rate limit', 'rate_limit_exceeded', 'Try again in 1s'],
  431: ['HeadersTooLarge', 'Headers too large', 'bad_request', 'The headers are too large'],
  503: ['Unavailable', 'Busy or stopping', 'service_unavailable', 'The server is shutting down'],
} as const satisfies Readonly<Record<number, Refusal>>

type Status = keyof typeof refusals

/** Fields with the id of an object that may not exist. */
const references = ['chat_id', 'model', 'model_id', 'base_id', 'document_id', 'parent_id']

export function refusalResponses(route: Route): JsonObject {
  const statuses = [...new Set(statusesOf(route))].toSorted()
  return Object.fromEntries([
    ...statuses.map((status) => [
      status,
      { $ref: `#/components/responses/${refusals[status][0]}` },
    ]),
    ['default', { $ref: '#/components/responses/Refusal' }],
  ])
}

function statusesOf(route: Route): readonly Status[] {
  const { method, path, accepts, body, headers } = route
  if (path === '/readyz') return [431, 503]
  if (!path.startsWith('/api/')) return [431]
  const members = membersOf(route)
  const refersTo = (names: readonly string[]) => members.some((name) => names.includes(name))
  const hasBody = body !== undefined || accepts === 'form'
  const all: readonly (Status | false)[] = [
    ...([401, 429, 431, 503] as const),
    (hasBody || route.query !== undefined) && 400,
    hasBody && 413,
    hasBody && 415,
    refersTo(references) && 404,
    refersTo(['chat_id']) && 409,
    'Idempotency-Key' in headers && 422,
    method === 'DELETE' && path.endsWith('/:base_id') && 403,
  ]
  return all.filter((status) => status !== false)
}

function membersOf({ path, body, query }: Route): readonly string[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const schemas = [body, query].filter((schema) => schema instanceof z.ZodObject)
  return [...inPath, ...schemas.flatMap(({ shape }) => Object.keys(shape))]
}

/** `components.responses`. */
export function refusalComponents(): JsonObject {
  const named = Object.entries(refusals).map(([status, [name, description, code, message]]) => [
    name,
    { description, content: problemContent(Number(status), code, message) },
  ])
  const other = problemContent(500, 'internal_error', 'Internal error')
  return Object.fromEntries([
    ...named,
    ['Refusal', { description: 'Any other error, such as one a prompt requests', content: other }],
  ])
}

function problemContent(status: number, code: string, message: string): JsonObject {
  const { body: example } = errorReply(new ApiError(status, message, code))
  const schema = { $ref: '#/components/schemas/Problem' }
  return { 'application/problem+json': { schema, example } }
}
