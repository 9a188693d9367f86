import type { MixEntry } from '../plan/mix.ts'
import type { Arrival } from '../plan/plan.ts'
import { drawsOf, hashText } from '../plan/random.ts'

/** Sentences of the target profile that plant a nonce and ask for it. */
export interface Recall {
  readonly tell: string
  readonly ask: string
}

/**
 * The prompt of a request: plants its nonce, adds as many words as drawn, and asks for the nonce, so
 * that an answer meant for another request can be recognised.
 */
export function promptOf(arrival: Arrival, entry: MixEntry, recall: Recall, turn = 0): string {
  const { nonce, promptWords, answerTokens } = arrival
  const tell = recall.tell.replaceAll('{nonce}', nonce)
  const words = wordsOf(`${nonce}/${turn}`, promptWords)
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

function wordsOf(seed: string, count: number): string {
  const draw = drawsOf(hashText(seed), 0)
  const words: string[] = []
  for (let at = 0; at < count; at += 1) {
    words.push(vocabulary[Math.floor(draw() * vocabulary.length)] ?? 'sea')
  }
  return words.join(' ')
}

const vocabulary = (
  'harbour lantern winter ferry granite signal meadow copper ladder kettle paper window engine ' +
  'garden bridge anchor thunder pencil market valley mirror candle orchard railway compass bottle ' +
  'saddle blanket river stone cloud feather barrel morning shadow ticket island button carriage ' +
  'needle pocket station hammer violin cellar ribbon marble timber wagon chimney pebble'
).split(' ')
