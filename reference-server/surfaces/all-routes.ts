/** All routes, surface by surface. */
import { z } from 'zod'
import { assistants } from '../answering/assistant-context.ts'
import { pageRoute, type Route, route } from '../http/call.ts'
import { type CatalogModel, models } from '../model/models.ts'
import type { Services } from '../services.ts'
import { attachmentRoutes, chatChangeRoutes, chatRoutes } from './chats.ts'
import { baseRoutes, documentRoutes, searchRoutes } from './knowledge.ts'
import { chatCompletionRoutes } from './openai/chat-completions.ts'
import { knownModel } from './ownership.ts'
import {
  assistantShape,
  compatibleModelShape,
  compatibleModelsShape,
  healthShape,
  modelShape,
  pageOf,
} from './shapes.ts'
import { messageRoutes } from './v2.ts'
import { historyRoutes } from './v3/conversation.ts'
import { generateRoutes } from './v3/generate.ts'

/** Section 9: `/api/v3/knowledge` duplicates `/api/knowledge`. The paths below them are our own choice. */
const knowledgePrefixes = ['/api/knowledge', '/api/v3/knowledge']

export function allRoutes(services: Services): readonly Route[] {
  return [
    ...healthRoutes(services),

    ...chatCompletionRoutes(services),
    ...modelRoutes(),

    ...messageRoutes(services),
    ...chatRoutes(services, 'v2'),

    ...historyRoutes(services),
    ...generateRoutes(services),
    ...chatRoutes(services, 'v3'),
    ...chatChangeRoutes(services),
    ...attachmentRoutes(services),
    ...catalogRoutes(),

    ...knowledgePrefixes.flatMap((prefix) => [
      ...baseRoutes(services, prefix),
      ...documentRoutes(services, prefix),
      ...searchRoutes(services, prefix),
    ]),
  ]
}

function healthRoutes({ store }: Services): readonly Route[] {
  return [
    route('GET', '/healthz', {
      summary: 'Report whether the server is up',
      answer: healthShape,
      handle: async () => ({ status: 'ok' }),
    }),
    route('GET', '/readyz', {
      summary: 'Report readiness: 503 during shutdown and while the database is unavailable',
      answer: healthShape,
      handle: async () => {
        await store.ready()
        return { status: 'ok' }
      },
    }),
  ]
}

/** Date of the catalog, in Unix seconds; clients require a number here. */
const created = 1_767_225_600

export function modelRoutes(): readonly Route[] {
  const data = models.map(entry)
  return [
    route('GET', '/api/openai/models', {
      summary: 'List models',
      answer: compatibleModelsShape,
      handle: async () => ({ object: 'list', data }),
    }),
    route('GET', '/api/openai/models/:model', {
      summary: 'Get a model',
      answer: compatibleModelShape,
      handle: async ({ params }) => {
        const id = params['model'] ?? ''
        // Uses the requested id, so that a client finds the id that it sent.
        return { ...entry(knownModel(id, 'model')), id }
      },
    }),
  ]
}

function entry({ id, aliases, description }: CatalogModel): object {
  const owner = { created, owned_by: 'chat-generation-service' }
  return { id, object: 'model', ...owner, description, aliases }
}

export function catalogRoutes(): readonly Route[] {
  const pagination = { cursor: null }
  const kinds = assistants.map(({ baseId, ...record }) => ({ ...record, kb_id: baseId }))
  return [
    route('GET', '/api/v3/model', {
      summary: 'List models (not part of the interface document)',
      answer: pageOf(modelShape),
      handle: async () => ({ result: models, pagination }),
    }),
    route('GET', '/api/v3/assistant', {
      summary: 'List assistants (not part of the interface document)',
      answer: pageOf(assistantShape),
      handle: async () => ({ result: kinds, pagination }),
    }),
  ]
}

/** The routes including GET /openapi.json, whose module, like that of /docs, is loaded on request. */
export function documented(others: readonly Route[]): readonly Route[] {
  const routes: readonly Route[] = [
    ...others,
    route('GET', '/openapi.json', {
      summary: 'Show this document',
      answer: z.looseObject({ openapi: z.string() }),
      handle: async () => (await import('../openapi/document.ts')).openApiDocument(routes),
    }),
  ]
  return routes
}

export function docsPage(routes: readonly Route[]): Route {
  return pageRoute('/docs', 'text/html; charset=utf-8', async () =>
    (await import('../openapi/reference-page.ts')).referencePage(routes),
  )
}
