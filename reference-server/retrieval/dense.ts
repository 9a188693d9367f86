/** Dense retrieval: the angle between the embeddings of query and text. */
import { cosine, embed } from './embedding.ts'
import type { Chunk, Ranker } from './types.ts'

export function denseRanker(chunks: readonly Chunk[]): Ranker {
  const embedded = chunks.map((chunk) => ({
    chunk,
    embedding: embed(`${chunk.heading} ${chunk.text}`),
  }))
  return (query) => {
    const queryEmbedding = embed(query)
    return embedded
      .map(({ chunk, embedding }) => ({
        chunk,
        score: similarity(cosine(queryEmbedding, embedding)),
      }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score)
  }
}

/** A short query can cover only a part of a longer text: the root makes up for the difference. */
function similarity(cosine: number): number {
  return cosine <= 0 ? 0 : Math.min(1, Math.sqrt(cosine))
}
