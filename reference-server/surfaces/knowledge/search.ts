/** Search in one knowledge base, with the settings of section 4.4. */

import { searchBaseQuery, searchBaseRequest } from '../../../contract/requests/index.ts'
import { type Reply, type Route, route } from '../../http/call.ts'
import { searchPlan } from '../../retrieval/retrieval.ts'
import type { Services } from '../../services.ts'
import { ownBase } from '../ownership.ts'
import { findingPageShape } from '../shapes.ts'

/** A search by request returns all hits, down to the least likely. */
const defaults = { threshold: 0, limit: 10 }

export function searchRoutes({ retrieve, store }: Services, prefix: string): readonly Route[] {
  const path = `${prefix}/:base_id/search`

  async function search(
    caller: string,
    baseId: string | undefined,
    query: string,
    request: Parameters<typeof searchPlan>[0],
  ): Promise<Reply> {
    const { id } = await ownBase(store.knowledge, caller, baseId)
    const documents = await store.knowledge.documents(caller, id)
    const result = retrieve([documents], query, searchPlan(request, defaults)).map(
      ({ fileId, ...found }) => ({ file_id: fileId, ...found }),
    )
    return { status: 200, body: { result, pagination: { cursor: null } } }
  }

  return [
    route({
      method: 'GET',
      path,
      summary: 'Search a knowledge base for the text in q',
      answer: { status: 200, body: findingPageShape },
      query: searchBaseQuery,
      handle: ({ query, params, caller }) => search(caller, params['base_id'], query.q, query),
    }),
    route({
      method: 'POST',
      path,
      summary: 'Search a knowledge base for the text in query',
      answer: { status: 200, body: findingPageShape },
      body: searchBaseRequest,
      handle: ({ body, params, caller }) => search(caller, params['base_id'], body.query, body),
    }),
  ]
}
