/** The knowledge base that a route was called for. */
import { ApiError } from '../../http/errors.ts'
import type { KnowledgeBase, KnowledgeStore } from '../../store/types.ts'

/** @throws ApiError 404 for a base that is not there or belongs to somebody else */
export async function ownBase(
  knowledge: KnowledgeStore,
  caller: string,
  id: string | undefined,
): Promise<KnowledgeBase> {
  const base = await knowledge.find(caller, id ?? '')
  if (base === undefined) {
    throw new ApiError(404, `No knowledge base ${JSON.stringify(id)}`, {
      code: 'knowledge_base_not_found',
      param: 'base_id',
    })
  }
  return base
}
