/** Reciprocal rank fusion: what several rankings agree on comes first. */
import type { Chunk, Scored } from './types.ts'

/** The customary constant: with it, first places do not decide alone. */
const k = 60

/** Scores as shares of the best possible one: first in every ranking is 1. */
export function fuse(rankings: readonly (readonly Scored[])[]): readonly Scored[] {
  const best = rankings.length / (k + 1)
  const scores = new Map<Chunk, number>()
  for (const ranking of rankings) {
    for (const [index, { chunk }] of ranking.entries()) {
      scores.set(chunk, (scores.get(chunk) ?? 0) + 1 / (k + index + 1))
    }
  }
  return [...scores]
    .map(([chunk, score]) => ({ chunk, score: score / best }))
    .toSorted((a, b) => b.score - a.score)
}
