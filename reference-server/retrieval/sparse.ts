/** Sparse retrieval: the words that query and text have in common. */
import MiniSearch from 'minisearch'
import type { Chunk, Ranker } from './types.ts'

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

/** The words of a text as both kinds of retrieval see them. */

/** Lower case, without accents, without words that say nothing about the subject. */
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

/** Scripts that put no spaces between words. */
const unspaced =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+/gu
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

function withSpaces(text: string): string {
  return text.replace(unspaced, (run) => {
    const words = Array.from(segmenter.segment(run), ({ segment }) => segment)
    return ` ${words.join(' ')} `
  })
}

/** Approximate number of words of a text, of two characters each in scripts without spaces. */
export function wordCount(text: string): number {
  const unspacedLength = text.match(unspaced)?.join('').length ?? 0
  return (text.match(/\S+/g)?.length ?? 0) + Math.floor(unspacedLength / 2)
}

/** The sentences of a text; joined with spaces they are the text again, but for white space. */
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
