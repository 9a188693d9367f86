/** A second look at few texts: slower than an index, and nearer to what was asked. */
import type { Scored } from './types.ts'
import { contentWords, sentences } from './words.ts'

/** The share of the query's words and of its neighbouring pairs that the text holds. */
export function rerank(query: string, found: readonly Scored[]): readonly Scored[] {
  return found
    .map(({ chunk }) => ({ chunk, score: likeness(query, `${chunk.heading} ${chunk.text}`) }))
    .toSorted((a, b) => b.score - a.score)
}

/** The sentence that is nearest to the query; of several, the first. */
export function nearestSentence(query: string, text: string): string {
  return sentences(text)
    .map((sentence) => ({ sentence, score: likeness(query, sentence) }))
    .reduce((best, next) => (next.score > best.score ? next : best), { sentence: text, score: 0 })
    .sentence
}

function likeness(query: string, text: string): number {
  const queryFeatures = features(contentWords(query))
  const textFeatures = features(contentWords(text))
  return queryFeatures.size === 0
    ? 0
    : [...queryFeatures].filter((one) => textFeatures.has(one)).length / queryFeatures.size
}

function features(words: readonly string[]): Set<string> {
  return new Set([...words, ...words.slice(1).map((word, index) => `${words[index]} ${word}`)])
}
