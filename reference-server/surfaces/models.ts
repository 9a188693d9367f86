/** GET /api/openai/models (section 4.1), and lists of models and assistants that the document does not show. */
import { assistants } from '../answering/assistant-context.ts'
import { type Route, route } from '../http/call.ts'
import { type CatalogModel, models } from '../model/models.ts'
import { knownModel } from './ownership.ts'
import {
  assistantPageShape,
  compatibleModelShape,
  compatibleModelsShape,
  modelPageShape,
} from './shapes.ts'

/** Date of the catalog, in Unix seconds; clients require a number here. */
const created = 1_767_225_600

export function modelRoutes(): readonly Route[] {
  const data = models.map(entry)
  return [
    route('GET', '/api/openai/models', {
      summary: 'List models',
      answer: { status: 200, body: compatibleModelsShape },
      handle: async () => ({ status: 200, body: { object: 'list', data } }),
    }),
    route('GET', '/api/openai/models/:model', {
      summary: 'Get a model',
      answer: { status: 200, body: compatibleModelShape },
      handle: async ({ params }) => {
        const id = params['model'] ?? ''
        // Uses the requested id, so that a client finds the id that it sent.
        return { status: 200, body: { ...entry(knownModel(id, 'model')), id } }
      },
    }),
  ]
}

function entry({ id, aliases, description }: CatalogModel): object {
  return {
    id,
    object: 'model',
    created,
    owned_by: 'chat-generation-service',
    description,
    aliases,
  }
}

export function catalogRoutes(): readonly Route[] {
  const pagination = { cursor: null }
  return [
    route('GET', '/api/v3/model', {
      summary: 'List models (not part of the interface document)',
      answer: { status: 200, body: modelPageShape },
      handle: async () => ({ status: 200, body: { result: models, pagination } }),
    }),
    route('GET', '/api/v3/assistant', {
      summary: 'List assistants (not part of the interface document)',
      answer: { status: 200, body: assistantPageShape },
      handle: async () => ({
        status: 200,
        body: {
          result: assistants.map(({ baseId, ...record }) => ({ ...record, kb_id: baseId })),
          pagination,
        },
      }),
    }),
  ]
}
