/** Search over knowledge bases (section 4.4): sparse, dense, or both with their ranks fused. */
import type { SearchSettings } from '../requests/fields.ts'
import {
  type Chunk,
  contentWords,
  denseRanker,
  type Ranker,
  type Scored,
  sentences,
  sparseRanker,
  wordCount,
} from './rankings.ts'

/** A document as text, whatever its original format. Immutable; times in Unix milliseconds. */
export interface KnowledgeDocument {
  readonly id: string
  readonly filename: string
  readonly contentType: string
  /** Bytes of the upload. */
  readonly size: number
  readonly text: string
  readonly createdAt: number
}

export interface SearchHit {
  readonly fileId: string
  readonly filename: string
  /** 0 to 1. */
  readonly score: number
  readonly text: string
}

export interface SearchPlan {
  readonly type: 'hybrid' | 'dense' | 'sparse'
  /** Minimum score of a hit, 0 to 1. */
  readonly threshold: number
  readonly limit: number
  /** Ranks the best hits again, word by word. */
  readonly rerank: boolean
  /** Shortens each hit to the sentence most similar to the query. */
  readonly summarize: boolean
}

/** Pure: the same documents, query and plan give the same hits, best first. */
export type Retrieval = (
  bases: readonly (readonly KnowledgeDocument[])[],
  query: string,
  plan: SearchPlan,
) => readonly SearchHit[]

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

/** Maximum number of hits that are compared word by word. */
const candidates = 50

/** The threshold applies to each ranking, because ranks say nothing about absolute similarity. */
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

/** Cached by the array of documents: a changed base has a new array. */
function rankersOf(documents: readonly KnowledgeDocument[]): Rankers {
  const cached = remembered.get(documents)
  if (cached !== undefined) return cached
  const chunks = documents.flatMap(chunksOf)
  const rankers = { sparse: sparseRanker(chunks), dense: denseRanker(chunks) }
  remembered.set(documents, rankers)
  return rankers
}

/** The usual constant of reciprocal rank fusion, so that first places do not dominate. */
const k = 60

/** Scores as shares of the best possible one; a hit that is first in every ranking has 1. */
function fuse(rankings: readonly (readonly Scored[])[]): readonly Scored[] {
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

/** The share of the words and word pairs of the query that the text contains. */
export function rerank(query: string, found: readonly Scored[]): readonly Scored[] {
  return found
    .map(({ chunk }) => ({ chunk, score: likeness(query, `${chunk.heading} ${chunk.text}`) }))
    .toSorted((a, b) => b.score - a.score)
}

/** The sentence most similar to the query; the first of several. */
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

const maxHits = 50

export function searchPlan(
  request: SearchSettings,
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

/** Paragraphs under one heading are joined up to this many words; longer ones are split. */
const wordsPerChunk = 70

export function chunksOf({ id, filename, text }: KnowledgeDocument): Chunk[] {
  const chunks: Chunk[] = []
  // Text without a heading gets the words of its file name as heading.
  let heading = filename.replace(/\.\w{1,8}$/, '').replace(/[-_]+/g, ' ')
  let gathered = ''
  const flush = () => {
    if (gathered !== '') chunks.push({ fileId: id, filename, heading, text: gathered })
    gathered = ''
  }
  for (const paragraph of paragraphs(text)) {
    const title = /^#{1,6} (.*)$/.exec(paragraph)?.[1]?.trim()
    if (title !== undefined) {
      flush()
      heading = title
      continue
    }
    for (const piece of pieces(paragraph)) {
      if (gathered !== '' && wordCount(gathered) + wordCount(piece) > wordsPerChunk) flush()
      gathered = gathered === '' ? piece : `${gathered}\n${piece}`
    }
  }
  flush()
  return chunks
}

/** A Markdown heading is a separate paragraph, with or without an empty line after it. */
function paragraphs(text: string): string[] {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/^(#{1,6} .*)$/gm, '\n$1\n')
    .split(/\n[^\S\n]*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
}

function pieces(paragraph: string): string[] {
  if (wordCount(paragraph) <= wordsPerChunk) return [paragraph]
  return sentences(paragraph).flatMap(slices)
}

/** Splits an overlong sentence by words. */
function slices(sentence: string): string[] {
  const words = sentence.split(/\s+/)
  const slices: string[] = []
  for (let at = 0; at < words.length; at += wordsPerChunk) {
    slices.push(words.slice(at, at + wordsPerChunk).join(' '))
  }
  return slices
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Text of a file for a model or an index; undefined if it is not UTF-8, or contains a zero byte. */
export function documentText(bytes: Uint8Array): string | undefined {
  try {
    const text = utf8.decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
