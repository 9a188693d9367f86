/** Dense retrieval: the angle between the embeddings of query and text. */

import { contentWords } from './sparse.ts'
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

/** Vector of length 1, or 0 for a text without words. */
export type Embedding = Float32Array

const dimensions = 512
const trigramWeight = 0.35

export function embed(text: string): Embedding {
  const vector = new Float32Array(dimensions)
  for (const word of contentWords(text)) {
    add(vector, word, 1)
    const padded = `<${word}>`
    for (let at = 0; at + 3 <= padded.length; at += 1) {
      add(vector, padded.slice(at, at + 3), trigramWeight)
    }
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  return length === 0 ? vector : vector.map((value) => value / length)
}

export function cosine(a: Embedding, b: Embedding): number {
  let sum = 0
  for (let at = 0; at < dimensions; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}

/** The sign is hashed too, so that collisions cancel out instead of adding up. */
function add(vector: Float32Array, feature: string, weight: number): void {
  const hashed = fnv1a(feature)
  const at = hashed % dimensions
  vector[at] = (vector[at] ?? 0) + (hashed & 0x40000000 ? weight : -weight)
}

function fnv1a(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  return (value ^ (value >>> 15)) >>> 0
}
