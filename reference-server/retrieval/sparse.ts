/** Sparse retrieval: the words that query and text have in common. */
import MiniSearch from 'minisearch'
import type { Chunk, Ranker } from './types.ts'
import { contentWords, plainWords } from './words.ts'

export function sparseRanker(chunks: readonly Chunk[]): Ranker {
  const index = new MiniSearch({
    fields: ['heading', 'text'],
    tokenize: plainWords,
    processTerm: (term) => term,
    searchOptions: { tokenize: contentWords, prefix: (term) => term.length > 3 },
  })
  index.addAll(chunks.map(({ heading, text }, id) => ({ id, heading, text })))
  return (query) => {
    const queryWordCount = new Set(contentWords(query)).size
    return index.search(query).flatMap(({ id, score, queryTerms }) => {
      const chunk = chunks[id as number]
      if (chunk === undefined) return []
      const covered = Math.min(1, new Set(queryTerms).size / queryWordCount)
      return [{ chunk, score: coverage * covered + (1 - coverage) * squash(score) }]
    })
  }
}

/** Share of the score that says how much of the query was found; the rest says how tellingly. */
const coverage = 0.8

/** The score of the index has no upper end. */
function squash(score: number): number {
  return score / (score + 3)
}
