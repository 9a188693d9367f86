/** The OpenAPI 3.1 document, generated from the routes and the schemas of the server. */
import { z } from 'zod'
import type { JsonObject } from '../../contract/json.ts'
import { operations } from '../../contract/operations.ts'
import type { Answer, Route } from '../http/call.ts'
import recorded from './examples.json' with { type: 'json' }
import { refusalComponents, refusalResponses } from './refusals.ts'

export interface OperationExamples {
  /** Body of a request. */
  readonly request?: unknown
  readonly answer?: unknown
  /** The first events of a stream. */
  readonly stream?: string
}

/** Recorded answers of this server, in a file that a test checks. */
const examples: Readonly<Record<string, OperationExamples | undefined>> = recorded

export function examplesOf({ method, path }: Pick<Route, 'method' | 'path'>): OperationExamples {
  return examples[`${method} ${path}`] ?? {}
}

export function openApiDocument(routes: readonly Route[]): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, path) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Chat Generation Service: reference server',
      version: '1',
      description:
        'The whole service with a model whose every word can be computed. Operations that the interface document does not show say so.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'chatgen-conformance' },
    },
    servers: [{ url: '/', description: 'This server' }],
    tags: [...new Set(routes.map(surface))]
      .toSorted()
      .map((name) => ({ name, description: surfaces[name] })),
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: shape(problem, 'output') },
      responses: refusalComponents(),
    },
  }
}

export type DocumentTag = 'openai' | 'v2' | 'v3' | 'knowledge' | 'server'

export const surfaces: Readonly<Record<DocumentTag, string>> = {
  openai: 'The OpenAI-compatible surface (section 4.1)',
  v2: 'The native surface, version 2 (section 4.2)',
  v3: 'The native surface, version 3 (section 4.3)',
  knowledge: 'Knowledge bases (sections 4.3 and 9)',
  server: 'The server itself',
}

/** Every refusal, on every surface. */
const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
})

function operation(route: Route, path: string): JsonObject {
  const examples = examplesOf(route)
  return {
    operationId: operationId(route),
    summary: route.summary,
    description: origin(route, path),
    tags: [surface(route)],
    security: path.startsWith('/api/') ? [{ key: [] }] : [],
    parameters: [...pathParameters(path), ...queryParameters(route), ...headerParameters(route)],
    ...requestBody(route, examples),
    responses: { ...success(route.answer, examples), ...refusalResponses(route) },
  }
}

export function origin({ method, path: given }: Route, path: string): string {
  const isShown = Object.values(operations).some(
    (documented) => documented.method === method && documented.path === path,
  )
  if (isShown) return 'Shown by the interface document.'
  return given.startsWith('/api/')
    ? 'Not shown by the interface document: a choice of this server.'
    : 'Not part of the service: needs no key.'
}

function success({ status, body, stream }: Answer, examples: OperationExamples): JsonObject {
  if (body === undefined) return { [status]: { description: 'Done' } }
  const content = {
    'application/json': { schema: shape(body, 'output'), ...example(examples.answer) },
    ...(stream === undefined
      ? {}
      : {
          'text/event-stream': {
            schema: { description: stream },
            ...example(examples.stream),
          },
        }),
  }
  return {
    [status]: { description: stream === undefined ? 'Done' : 'One body, or a stream', content },
  }
}

function example(value: unknown): JsonObject {
  return value === undefined ? {} : { example: value }
}

function requestBody({ accepts, body }: Route, { request }: OperationExamples): JsonObject {
  if (accepts === 'json') {
    if (body === undefined) return {}
    const content = { 'application/json': { schema: shape(body, 'input'), ...example(request) } }
    return { requestBody: { required: true, content } }
  }
  const { properties = {} } = body === undefined ? {} : shape(body, 'input')
  const file = { type: 'string', format: 'binary' }
  const schema = { type: 'object', required: ['file'], properties: { file, ...Object(properties) } }
  return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } }
}

function pathParameters(path: string): readonly JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

function queryParameters({ query }: Route): readonly JsonObject[] {
  if (query === undefined) return []
  const { properties, required } = shape(query, 'input')
  const needed = new Set(Array.isArray(required) ? required : [])
  return Object.entries(Object(properties)).map(([name, schema]) => ({
    name,
    in: 'query',
    required: needed.has(name),
    schema,
  }))
}

/** 1 to 255 printable characters, without the spaces around them. */
const printable =
  '^[!-~\\x80-\\x9f\\xa1-\\xff]([ -~\\x80-\\xff]{0,253}[!-~\\x80-\\x9f\\xa1-\\xff])?$'

function headerParameters({ headers }: Route): readonly JsonObject[] {
  return Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string', pattern: printable },
  }))
}

/** Cached, because schemas are constants and a process may start many servers. */
const shapes = {
  input: new WeakMap<z.ZodType, JsonObject>(),
  output: new WeakMap<z.ZodType, JsonObject>(),
}

export function shape(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const cached = shapes[io].get(schema)
  if (cached !== undefined) return cached
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  shapes[io].set(schema, rest)
  return rest
}

export function surface({ path }: Route): DocumentTag {
  if (path.includes('/knowledge')) return 'knowledge'
  const name = /^\/api\/(\w+)/.exec(path)?.[1]
  return name === 'openai' || name === 'v2' || name === 'v3' ? name : 'server'
}

/** Id such as `getV3ChatByChatIdAttachments`. */
export function operationId({ method, path }: Route): string {
  const words = path
    .replace('/api/', '')
    .replace(/:/g, 'by-')
    .split(/[^A-Za-z0-9]+/)
  return words
    .filter((word) => word !== '')
    .reduce(
      (id, word) => `${id}${word.charAt(0).toUpperCase()}${word.slice(1)}`,
      method.toLowerCase(),
    )
}
