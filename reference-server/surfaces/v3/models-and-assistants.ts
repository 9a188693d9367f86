/** Lists of models and assistants. The document shows neither route. */

import { assistants } from '../../answering/assistant-context.ts'
import { type Route, route } from '../../http/call.ts'
import { models } from '../../model/models.ts'
import { assistantPageShape, modelPageShape } from '../shapes.ts'

export function catalogRoutes(): readonly Route[] {
  const pagination = { cursor: null }
  return [
    route({
      method: 'GET',
      path: '/api/v3/model',
      summary: 'List models (not part of the interface document)',
      answer: { status: 200, body: modelPageShape },
      handle: async () => ({ status: 200, body: { result: models, pagination } }),
    }),
    route({
      method: 'GET',
      path: '/api/v3/assistant',
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
