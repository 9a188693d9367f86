/** GET /api/openai/models (section 4.1): the catalogue of section 2.1. */

import { type Route, route } from '../../http/call.ts'
import { models } from '../../model/catalogue.ts'
import { compatibleModelsShape } from '../shapes.ts'

/** The day the catalogue was written, in Unix seconds; clients want a number here. */
const created = 1_767_225_600

export function modelRoutes(): readonly Route[] {
  const data = models.map(({ id, aliases, description }) => ({
    id,
    object: 'model',
    created,
    owned_by: 'chat-generation-service',
    description,
    aliases,
  }))
  return [
    route({
      method: 'GET',
      path: '/api/openai/models',
      summary: 'List models',
      answer: { status: 200, body: compatibleModelsShape },
      handle: async () => ({ status: 200, body: { object: 'list', data } }),
    }),
  ]
}
