/** The memory of the fake model: statements of users about themselves in the conversation. */

import type { SearchHit } from '../retrieval/types.ts'
import type { Citation, Turn } from './types.ts'

/**
 * Answers "What is my name?" from "My name is X" anywhere in the conversation, the question itself
 * included, or from an earlier answer that says "your name is X"; the latest statement counts. Any one
 * to three words can replace "name", and any token X.
 *
 * @returns undefined if the question has another form
 */
export function recall(question: string, turns: readonly Turn[]) {
  const thing = /what(?:'s|’s| is| was) my ((?:\p{L}{1,20} ){0,2}\p{L}{1,20})\s{0,4}\?/iu.exec(
    question,
  )?.[1]
  if (thing === undefined) return undefined
  const value = lastStatement(thing, turns)
  return value === undefined
    ? { isKnown: false, text: `You have not told me your ${thing} yet.` }
    : { isKnown: true, text: `Your ${thing} is ${value}.` }
}

function lastStatement(thing: string, turns: readonly Turn[]): string | undefined {
  const userPattern = statement('my', thing)
  const answerPattern = statement('your', thing)
  for (const turn of turns.toReversed()) {
    if (turn.role === 'tool') continue
    const found = [
      ...turn.text.matchAll(turn.role === 'assistant' ? answerPattern : userPattern),
    ].at(-1)?.[1]
    if (found !== undefined) return found
  }
  return undefined
}

function statement(whose: 'my' | 'your', thing: string): RegExp {
  return new RegExp(
    `${whose} ${thing} is:? ["'“‘«]?([\\p{L}\\p{N}](?:[\\p{L}\\p{N}_.@-]{0,200}[\\p{L}\\p{N}])?)`,
    'giu',
  )
}

export interface Quotation {
  readonly text: string
  readonly citations: readonly Citation[]
}

/** @returns undefined without hits */
export function quotation(hits: readonly SearchHit[]): Quotation | undefined {
  const [first, ...others] = hits.toSorted((a, b) => b.score - a.score)
  if (first === undefined) return undefined
  const text = `${first.filename} says: ${first.text.replace(/\s+/g, ' ').trim()}`
  const citations = [citation(first, text.length)]
  const other = others.find(({ fileId }) => fileId !== first.fileId)
  if (other === undefined) return { text, citations }
  const longer = `${text} See also ${other.filename}.`
  return { text: longer, citations: [...citations, citation(other, longer.length)] }
}

function citation({ fileId, filename }: SearchHit, index: number): Citation {
  return { fileId, filename, index }
}
