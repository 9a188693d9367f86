/** Context is proven by facts that a model gives back, and a model may be too weak for that. */
import {
  answerParts,
  answerText,
  assume,
  type Exchange,
  expect,
  type ScenarioContext,
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

const weak = 'the model does not give back a fact that stands among other sentences'

/** Ends the scenario unless the model gives a fact back from a whole conversation, sent as one message. */
export async function assumeGivesBack(...control: Parameters<typeof givesBack>): Promise<void> {
  assume(await givesBack(...control), weak)
}

/**
 * Tests if the model gives a fact back from a whole conversation that is sent as one message: a model that
 * repeats another sentence of it is weak, not a server that loses its context. To be called if an answer lacks
 * the fact; a model that answers at random rarely succeeds so often.
 */
async function givesBack(
  fact: string | readonly string[],
  conversation: readonly (string | undefined)[],
  send: (text: string) => Promise<Exchange>,
): Promise<boolean> {
  const text = conversation.filter((part) => part !== undefined).join(' ')
  for (let tries = 0; tries < controls; tries += 1) {
    if (!knows(await send(text), fact)) return false
  }
  return true
}

const controls = 4

/** Tests if the text of an answer, or the output of its final response, holds a fact, or one of several. */
export function knows(answer: Exchange, fact: string | readonly string[]): boolean {
  const text = `${answerText(answer)} ${answerParts(answer).join('')}`
  return [fact].flat().some((one) => text.includes(one))
}

interface Remembered {
  readonly requirement: Parameters<ScenarioContext['claim']>[0]
  readonly answer: Exchange
  /** The fact; one of several that contradict each other is enough. */
  readonly fact: string | readonly string[]
  /** Text that the answer has to know, in its parts. */
  readonly conversation: readonly (string | undefined)[]
  /** Sends the same request again. */
  readonly again: () => Promise<Exchange>
  readonly what: string
}

/**
 * The law that an answer knows a fact of its context: missed in three answers, by a model that gives it back
 * from one message. It is asked of a requirement until that is broken, or the model turns out to be too weak for it.
 */
export function createRecallLaw(
  { claim, session }: Pick<ScenarioContext, 'claim' | 'session'>,
  send: (text: string) => Promise<Exchange>,
) {
  const decided = new Set<string>()
  return async ({ requirement, answer, fact, conversation, again, what }: Remembered) => {
    if (decided.has(requirement)) return
    let last = answer
    // Another endpoint may know what this one has lost.
    const repeats = session.context.setup.profile.baseUrls === undefined ? 2 : 0
    for (let tries = 0; tries < repeats && !knows(last, fact); tries += 1) last = await again()
    const isKnown = knows(last, fact)
    if (!isKnown) {
      decided.add(requirement)
      if (!(await givesBack(fact, conversation, send))) {
        session.markUndecided('inconclusive', [requirement], weak)
        return
      }
    }
    claim(requirement, () => expect(isKnown, `${what} contains the fact`).toBe(true), last, answer)
  }
}
