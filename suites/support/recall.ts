/** Context is proven by facts that a model gives back, and a model may be too weak for that. */
import {
  answerParts,
  answerText,
  assume,
  type Exchange,
  type TargetProfile,
} from '../../harness/conformance/scenario/index.ts'

/** A sentence that plants a fact, and the question for it, in the words of the profile; wording is never judged. */
export function buildRecall(
  { recall }: TargetProfile,
  nonce: string,
): { readonly tell: string; readonly ask: string } {
  const { tell, ask } = recall
  return { tell: tell.replaceAll('{nonce}', nonce), ask }
}

/**
 * Ends the scenario unless the model gives a fact back from a whole conversation that is sent as one
 * message: a model that repeats another sentence of it is weak, not a server that loses its context. To be
 * called if an answer lacks the fact; a model that answers at random rarely succeeds so often.
 */
export async function assumeGivesBack(
  nonce: string,
  conversation: readonly (string | undefined)[],
  send: (text: string) => Promise<Exchange>,
): Promise<void> {
  const text = conversation.filter((part) => part !== undefined).join(' ')
  for (let tries = 0; tries < controls; tries += 1) {
    const answer = await send(text)
    assume(
      (answerText(answer) ?? answerParts(answer).join('')).includes(nonce),
      'the model does not give back a fact that stands among other sentences',
      answer,
    )
  }
}

const controls = 4
