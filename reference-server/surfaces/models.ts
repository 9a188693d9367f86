/** GET /api/openai/models (section 4.1), and lists of models and assistants that the document does not show. */
import { assistants } from '../answering/assistant-context.ts'
import { type Route, route } from '../http/call.ts'
import { type CatalogModel, models } from '../model/models.ts'
import { knownModel } from './ownership.ts'
import {
  assistantShape,
  compatibleModelShape,
  compatibleModelsShape,
  modelShape,
  pageOf,
} from './shapes.ts'

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
