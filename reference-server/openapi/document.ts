/** The OpenAPI 3.1 document, generated from the routes and the schemas of the server. */
import { z } from 'zod'
import { asArray, type JsonObject } from '../../contract/json.ts'
import { operations } from '../../contract/operations.ts'
import type { Route } from '../http/call.ts'
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

export const info = {
  title: 'Chat Generation Service: reference server',
  version: '1',
  description:
    'The whole service, with a deterministic model. Operations that the interface document does not show are marked.',
  license: { name: 'MIT', identifier: 'MIT' },
  contact: { name: 'chatgen-conformance' },
}

export function openApiDocument(routes: readonly Route[]): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const route of routes) {
    const path = pathOf(route)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) }
  }
  return {
    openapi: '3.1.0',
    info,
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

export function operationOf(route: Route) {
  const { method, path, summary } = route
  const examples = examplesOf(route)
  const content = requestContent(route, examples)
  const isOfService = path.startsWith('/api/')
  const isShown = Object.values(operations).some(
    (documented) => documented.method === method && documented.path === pathOf(route),
  )
  const ownChoice = isOfService
    ? 'Not shown by the interface document: a choice of this server.'
    : 'Not part of the service: needs no key.'
  return {
    operationId: operationId(route),
    summary,
    description: isShown ? 'Shown by the interface document.' : ownChoice,
    tags: [surface(route)],
    security: isOfService ? [{ key: [] }] : [],
    parameters: parametersOf(route),
    ...(content && { requestBody: { required: true, content } }),
    responses: { ...success(route, examples), ...refusalResponses(route) },
  }
}

function pathOf({ path }: Route): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

function success({ status, answer, stream }: Route, examples: OperationExamples): JsonObject {
  if (answer === undefined) return { [status]: { description: 'Done' } }
  const events = { schema: { description: stream }, ...example(examples.stream) }
  const content = {
    'application/json': { schema: shape(answer, 'output'), ...example(examples.answer) },
    ...(stream !== undefined && { 'text/event-stream': events }),
  }
  return {
    [status]: { description: stream === undefined ? 'Done' : 'One body, or a stream', content },
  }
}

function example(value: unknown): JsonObject {
  return value === undefined ? {} : { example: value }
}

function requestContent({ accepts, body }: Route, { request }: OperationExamples) {
  const schema = body && shape(body, 'input')
  if (accepts === 'json') return schema && { 'application/json': { schema, ...example(request) } }
  const properties = {
    file: { type: 'string', format: 'binary' },
    ...Object(schema?.['properties']),
  }
  return { 'multipart/form-data': { schema: { type: 'object', required: ['file'], properties } } }
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonObject
}

/** 1 to 255 printable characters, without the spaces around them. */
const printable =
  '^[!-~\\x80-\\x9f\\xa1-\\xff]([ -~\\x80-\\xff]{0,253}[!-~\\x80-\\x9f\\xa1-\\xff])?$'

function parametersOf({ path, query, headers }: Route): readonly Parameter[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']): Parameter => {
    return { name, in: 'path', required: true, schema: { type: 'string' } }
  })
  const { properties, required } = query === undefined ? {} : shape(query, 'input')
  const inQuery = Object.entries<JsonObject>(Object(properties)).map(
    ([name, schema]): Parameter => {
      return { name, in: 'query', required: asArray(required).includes(name), schema }
    },
  )
  const inHeaders = Object.entries(headers).map(([name, description]): Parameter => {
    const schema = { type: 'string', pattern: printable }
    return { name, in: 'header', required: true, description, schema }
  })
  return [...inPath, ...inQuery, ...inHeaders]
}

function shape(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const cached = shapes[io].get(schema)
  if (cached !== undefined) return cached
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  shapes[io].set(schema, rest)
  return rest
}

/** Conversions take longer than all else in the document, and all streams wait for them. */
const shapes = {
  input: new WeakMap<z.ZodType, JsonObject>(),
  output: new WeakMap<z.ZodType, JsonObject>(),
}

export function surface({ path }: Route): DocumentTag {
  if (path.includes('/knowledge')) return 'knowledge'
  const name = /^\/api\/(\w+)/.exec(path)?.[1]
  return name === 'openai' || name === 'v2' || name === 'v3' ? name : 'server'
}

/** Id such as `getV3ChatByChatIdAttachments`. */
function operationId({ method, path }: Route): string {
  const words =
    path
      .replace('/api/', '')
      .replace(/:/g, 'by-')
      .match(/[A-Za-z0-9]+/g) ?? []
  const titles = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
  return `${method.toLowerCase()}${titles.join('')}`
}
