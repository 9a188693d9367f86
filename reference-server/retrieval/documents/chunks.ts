/** Documents in pieces that are short enough to quote. */

import { sentences, wordCount } from '../sparse.ts'
import type { Chunk, KnowledgeDocument } from '../types.ts'

/** Paragraphs under one heading are joined up to this many words; longer ones are split. */
const wordsPerChunk = 70

export function chunksOf({ id, filename, text }: KnowledgeDocument): Chunk[] {
  const chunks: Chunk[] = []
  let heading = nameOf(filename)
  let gathered = ''
  const flush = () => {
    if (gathered !== '') chunks.push({ fileId: id, filename, heading, text: gathered })
    gathered = ''
  }
  for (const paragraph of paragraphs(text)) {
    const title = headingOf(paragraph)
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

/** Text without a heading gets the words of its file name as heading. */
function nameOf(filename: string): string {
  return filename.replace(/\.\w{1,8}$/, '').replace(/[-_]+/g, ' ')
}

/** A heading of Markdown is a paragraph of its own, with or without an empty line after it. */
function paragraphs(text: string): string[] {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/^(#{1,6} .*)$/gm, '\n$1\n')
    .split(/\n[^\S\n]*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
}

function headingOf(paragraph: string): string | undefined {
  return /^#{1,6} (.*)$/.exec(paragraph)?.[1]?.trim()
}

function pieces(paragraph: string): string[] {
  if (wordCount(paragraph) <= wordsPerChunk) return [paragraph]
  return sentences(paragraph).flatMap(slices)
}

/** A sentence without end is cut by words. */
function slices(sentence: string): string[] {
  const words = sentence.split(/\s+/)
  const slices: string[] = []
  for (let at = 0; at < words.length; at += wordsPerChunk) {
    slices.push(words.slice(at, at + wordsPerChunk).join(' '))
  }
  return slices
}
