/** Search options of a request, completed to a plan. */
import type { SearchPlan } from './types.ts'

interface Asked {
  readonly search_type?: SearchPlan['type'] | null | undefined
  readonly threshold?: number | null | undefined
  readonly limit?: number | null | undefined
  readonly rerank?: boolean | null | undefined
  readonly summary_mode?: boolean | 'none' | 'sentence' | null | undefined
}

const maxHits = 50

export function searchPlan(
  asked: Asked,
  otherwise: Pick<SearchPlan, 'threshold' | 'limit'>,
): SearchPlan {
  return {
    type: asked.search_type ?? 'hybrid',
    threshold: asked.threshold ?? otherwise.threshold,
    limit: Math.min(asked.limit ?? otherwise.limit, maxHits),
    rerank: asked.rerank ?? false,
    summarize: asked.summary_mode === true || asked.summary_mode === 'sentence',
  }
}
