/** Search options of a request, completed to a plan. */
import type { SearchPlan } from './types.ts'

interface SearchRequest {
  readonly search_type?: SearchPlan['type'] | null | undefined
  readonly threshold?: number | null | undefined
  readonly limit?: number | null | undefined
  readonly rerank?: boolean | null | undefined
  readonly summary_mode?: boolean | 'none' | 'sentence' | null | undefined
}

const maxHits = 50

export function searchPlan(
  request: SearchRequest,
  otherwise: Pick<SearchPlan, 'threshold' | 'limit'>,
): SearchPlan {
  return {
    type: request.search_type ?? 'hybrid',
    threshold: request.threshold ?? otherwise.threshold,
    limit: Math.min(request.limit ?? otherwise.limit, maxHits),
    rerank: request.rerank ?? false,
    summarize: request.summary_mode === true || request.summary_mode === 'sentence',
  }
}
