/** Knowledge bases: list, create, read, delete. */

import { createBaseRequest, listQuery } from '../../../contract/requests/index.ts'
import { type Route, route } from '../../http/call.ts'
import { ApiError } from '../../http/errors.ts'
import { isoTime } from '../../runtime/clock.ts'
import type { Services } from '../../services.ts'
import type { KnowledgeBase } from '../../store/types.ts'
import { ownBase } from '../ownership.ts'
import { pageBody, pageSize, readCursor } from '../paging.ts'
import { basePageShape, baseShape } from '../shapes.ts'

const list = 'knowledge bases'

export function baseRoutes({ clock, ids, store }: Services, prefix: string): readonly Route[] {
  const { knowledge } = store
  const one = `${prefix}/:base_id`
  return [
    route({
      method: 'GET',
      path: prefix,
      summary: 'List knowledge bases, oldest first',
      answer: { status: 200, body: basePageShape },
      query: listQuery,
      handle: async ({ query, caller }) => {
        const after = readCursor(list, query.cursor) ?? 0
        const page = await knowledge.bases(caller, { after, limit: pageSize(query.limit) })
        return { status: 200, body: pageBody(list, page, baseRecord) }
      },
    }),
    route({
      method: 'POST',
      path: prefix,
      summary: 'Create a knowledge base',
      answer: { status: 201, body: baseShape },
      body: createBaseRequest,
      handle: async ({ body, caller }) => {
        const base: KnowledgeBase = {
          id: ids.uuid(),
          name: body.name,
          description: body.description ?? '',
          createdAt: clock.now(),
          seeded: false,
        }
        await knowledge.create(caller, base)
        return { status: 201, body: baseRecord(base) }
      },
    }),
    route({
      method: 'GET',
      path: one,
      summary: 'Get a knowledge base',
      answer: { status: 200, body: baseShape },
      handle: async ({ params, caller }) => {
        const base = await ownBase(knowledge, caller, params['base_id'])
        return { status: 200, body: baseRecord(base) }
      },
    }),
    route({
      method: 'DELETE',
      path: one,
      summary: 'Delete a knowledge base with its documents',
      answer: { status: 204 },
      handle: async ({ params, caller }) => {
        const base = await ownBase(knowledge, caller, params['base_id'])
        if (base.seeded) {
          throw new ApiError(403, 'This knowledge base is part of the catalog', {
            code: 'knowledge_base_fixed',
            param: 'base_id',
          })
        }
        await knowledge.delete(caller, base.id)
        return { status: 204 }
      },
    }),
  ]
}

function baseRecord({ id, name, description, createdAt }: KnowledgeBase): object {
  return { id, name, description, created_at: isoTime(createdAt) }
}
