import type { Passage } from '../../../fixtures/content/passages.ts'
import type { TransactionRunner } from '../engine/transaction-runner.ts'
import { drawsOf, hashText } from '../plan/random.ts'
import type { RequestResult } from '../record.ts'

/** A kind of transaction: resolves after its last request; a failed request ends it early. */
export type Transaction = (context: TransactionRunner) => Promise<void>

/** True for a whole answer without a violation, also one to a slow reader. */
export function succeeded({ record }: RequestResult): boolean {
  const { kind } = record.outcome
  return kind === 'ok' || (kind === 'abandoned' && record.outcome.why === 'slow-reader')
}

type PromptContext = Pick<TransactionRunner, 'arrival' | 'entry' | 'target' | 'passages'>

/**
 * The prompt of a request: plants its nonce, adds as many words as drawn, and asks for the nonce, so
 * that an answer meant for another request can be recognized.
 */
export function promptOf(
  { arrival, entry, target: { recall }, passages }: PromptContext,
  turn = 0,
): string {
  const { nonce, promptWords, answerTokens } = arrival
  const tell = recall.tell.replaceAll('{nonce}', nonce)
  const words = wordsOf(passages, `${nonce}/${turn}`, promptWords)
  const text = entry.template ?? (answerTokens === null ? free : measured)
  return text
    .replaceAll('{nonce}', nonce)
    .replaceAll('{tell}', tell)
    .replaceAll('{ask}', recall.ask)
    .replaceAll('{words}', words)
    .replaceAll('{tokens}', String(answerTokens ?? ''))
}

const free = '{tell} {words}. {ask}'
const measured = '{tell} {words}. {ask} Then go on for about {tokens} words. [[tokens={tokens}]]'

/** The given number of words of a user, from the beginning of a sentence; continues with another user if a text ends. */
export function wordsOf(passages: readonly Passage[], seed: string, count: number): string {
  const draw = drawsOf(hashText(seed), 0)
  const first = Math.floor(draw() * passages.length)
  const start = draw()
  const cuts: string[] = []
  for (let missing = count; missing > 0; ) {
    const passage = passages[(first + cuts.length) % passages.length]
    if (passage === undefined) break
    const { text, sentences, wordEnds } = passage
    const sentence = sentences[cuts.length > 0 ? 0 : Math.floor(start * sentences.length)]
    const [offset, word] = sentence ?? [0, 0]
    const last = Math.min(word + missing, wordEnds.length)
    cuts.push(text.slice(offset, wordEnds[last - 1]))
    missing -= last - word
  }
  return cuts.join(' ')
}
