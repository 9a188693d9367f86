/** Rankings of chunks: by the angle between embeddings (dense), and by common words (sparse). */
import MiniSearch from 'minisearch'
import { fnv1a } from '../runtime/random.ts'

/** A piece of a document, which is compared with a query and quoted. */
export interface Chunk {
  readonly fileId: string
  readonly filename: string
  /** Heading of the text, or the name of its file. */
  readonly heading: string
  readonly text: string
}

/** A ranking method prepared for some chunks: scores from 0 to 1, best first, without zeros. */
export type Ranker = (query: string) => readonly Scored[]

export interface Scored {
  readonly chunk: Chunk
  readonly score: number
}

export function denseRanker(chunks: readonly Chunk[]): Ranker {
  const embedded = chunks.map((chunk) => ({
    chunk,
    embedding: embed(`${chunk.heading} ${chunk.text}`),
  }))
  return (query) => {
    const queryEmbedding = embed(query)
    return embedded
      .map(({ chunk, embedding }) => {
        const near = Math.max(0, cosine(queryEmbedding, embedding))
        // A short query covers only a part of a longer text; the root compensates for this.
        return { chunk, score: Math.min(1, Math.sqrt(near)) }
      })
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score)
  }
}

const dimensions = 512
const trigramWeight = 0.35

/** Vector of length 1, or 0 for a text without words. */
function embed(text: string): Float32Array {
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

function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < dimensions; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}

/** The sign is hashed too, so that collisions cancel out instead of adding up. */
function add(vector: Float32Array, feature: string, weight: number): void {
  const hashed = fnv1a(feature)
  const folded = (hashed ^ (hashed >>> 15)) >>> 0
  const at = folded % dimensions
  vector[at] = (vector[at] ?? 0) + (folded & 0x40000000 ? weight : -weight)
}

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
      // The score of the index has no maximum.
      const limited = score / (score + 3)
      return [{ chunk, score: coverage * covered + (1 - coverage) * limited }]
    })
  }
}

/** Weight of the share of query words that were found; the rest is the score of the index. */
const coverage = 0.8

/** Words in lower case, without accents and stop words. */
export function contentWords(text: string): string[] {
  return plainWords(text).filter((word) => !idle.has(word))
}

export function plainWords(text: string): string[] {
  return (
    withSpaces(text)
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

/** Scripts without spaces between words. */
const unspaced =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+/gu

/** Created on first use, because that takes 10 ms. */
let segmenter: Intl.Segmenter | undefined

function withSpaces(text: string): string {
  return text.replace(unspaced, (run) => {
    segmenter ??= new Intl.Segmenter('en', { granularity: 'word' })
    const words = Array.from(segmenter.segment(run), ({ segment }) => segment)
    return ` ${words.join(' ')} `
  })
}

/** Approximate number of words of a text, of two characters each in scripts without spaces. */
export function wordCount(text: string): number {
  const unspacedLength = text.match(unspaced)?.join('').length ?? 0
  return (text.match(/\S+/g)?.length ?? 0) + Math.floor(unspacedLength / 2)
}

/** The sentences of a text; joined with spaces they equal the text except for white space. */
export function sentences(text: string): string[] {
  return text.split(/(?<=[.!?])\s+|(?<=[。！？])\s*/).filter((sentence) => sentence.trim() !== '')
}

const idle = new Set(
  (
    'a about an and are as at be been but by can could did do does for from had has have how i if in ' +
    'is it its may me my no not of on or our please shall should so tell than that the their them ' +
    'then there these they this those to was we were what when where which who whom why will with ' +
    'would you your'
  ).split(' '),
)
