/** Search over knowledge bases (section 4.4): sparse, dense, or both with their ranks fused. */

import { denseRanker } from './dense.ts'
import { chunksOf } from './documents/chunks.ts'
import { fuse } from './fusion.ts'
import { nearestSentence, rerank } from './rerank.ts'
import { sparseRanker } from './sparse.ts'
import type { KnowledgeDocument, Ranker, Retrieval, Scored, SearchPlan } from './types.ts'

export const retrieve: Retrieval = (bases, query, plan) =>
  bases
    .flatMap((documents) => ranked(rankersOf(documents), query, plan))
    .toSorted((a, b) => b.score - a.score)
    .filter(({ score }) => score >= plan.threshold)
    .slice(0, plan.limit)
    .map(({ chunk: { fileId, filename, text }, score }) => ({
      fileId,
      filename,
      score: Math.round(score * 1e4) / 1e4,
      text: plan.summarize ? nearestSentence(query, text) : text,
    }))

/** Enough to choose from, few enough to look at word by word. */
const candidates = 50

/** The threshold holds for each ranking as well: ranks alone do not say how near the nearest is. */
function ranked({ sparse, dense }: Rankers, query: string, plan: SearchPlan): readonly Scored[] {
  const nearEnough = (ranker: Ranker) =>
    ranker(query)
      .filter(({ score }) => score >= plan.threshold)
      .slice(0, candidates)
  const found =
    plan.type === 'hybrid'
      ? fuse([nearEnough(sparse), nearEnough(dense)])
      : nearEnough(plan.type === 'dense' ? dense : sparse)
  return plan.rerank ? rerank(query, found) : found
}

interface Rankers {
  readonly sparse: Ranker
  readonly dense: Ranker
}

const remembered = new WeakMap<readonly KnowledgeDocument[], Rankers>()

/** Made once for an array of documents: a base that changes has another array. */
function rankersOf(documents: readonly KnowledgeDocument[]): Rankers {
  const cached = remembered.get(documents)
  if (cached !== undefined) return cached
  const chunks = documents.flatMap(chunksOf)
  const rankers = { sparse: sparseRanker(chunks), dense: denseRanker(chunks) }
  remembered.set(documents, rankers)
  return rankers
}
