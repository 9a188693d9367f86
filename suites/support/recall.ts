/** Context is proven by facts that a model recalls; a model may be too weak for that. */
import type { JsonObject } from '../../contract/index.ts'
import {
  answerJson,
  answerParts,
  answerText,
  assume,
  contains,
  describeRow,
  type Exchange,
  expect,
  inputText,
  isDeclined,
  isObject,
  leavesOf,
  type Scenario,
  succeeded,
  type TargetProfile,
} from '../../harness/conformance/scenario/index.ts'

import type { Trial } from '../laws/conditions/plan.ts'
import { firstWord } from './chat-names.ts'

export type Recall = ReturnType<typeof buildRecall>

/** A fact, a sentence that states it, and a question for it, in the words of the profile; wording is never judged. */
export function buildRecall({ recall }: TargetProfile, fact: string) {
  const { tell, ask } = recall
  return { fact, tell: tell.replaceAll('{nonce}', fact), ask }
}

/** Asks until an answer is enough, at most `times` times: a model may fail by chance. Returns the last answer. */
export async function askUntil<Answer>(
  isEnough: (answer: Answer) => boolean,
  ask: () => Promise<Answer>,
  times = 3,
): Promise<Answer> {
  let answer = await ask()
  for (let tries = 1; tries < times && !isEnough(answer); tries += 1) answer = await ask()
  return answer
}

const weak = 'the model does not recall a fact among other sentences'

/**
 * Tests if the model recalls a fact from a whole conversation that is sent as one message. If not, the model is
 * weak, and the server need not have lost the context. Called if an answer lacks the fact; a model that answers
 * at random rarely succeeds in all attempts.
 */
async function givesBack(
  session: Pick<Scenario['session'], 'noncesSaidIn'>,
  fact: string | readonly string[],
  conversation: readonly string[],
  send: (text: string) => Promise<Exchange>,
): Promise<boolean> {
  const text = conversation.join(' ')
  for (let tries = 0; tries < controls; tries += 1) {
    const answer = await send(text)
    // A model that repeats its message does not recall.
    if (!knows(answer, fact) || session.noncesSaidIn(answerText(answer) ?? '').length > notesAround)
      return false
  }
  return true
}

const controls = 4
/** Statements before the conversation, and after it. */
const notesAround = 20

/**
 * Ends the scenario if the model is too weak to give back a fact of its own message: then it gives back none of a
 * knowledge base either. Called if an answer lacks the fact of a base.
 */
export async function assumeRecall(
  scenario: Scenario,
  answer: Exchange,
  send: (text: string) => Promise<Exchange>,
): Promise<void> {
  const { session, profile } = scenario
  const { fact, tell, ask } = buildRecall(profile, session.nonce())
  const notes = notesOf(scenario)
  const conversation = [...notes(), tell, ...notes(), ask]
  assume(await givesBack(session, fact, conversation, send), weak, answer)
}

/** Makes statements around a conversation. */
function notesOf({ session, prompts }: Scenario) {
  return () => Array.from({ length: notesAround }, () => prompts.note(session.nonce()))
}

/** Tests if the text of an answer, or the output of its final response, contains a fact or one of several. */
export function knows(answer: Exchange, fact: string | readonly string[]): boolean {
  const text = `${answerText(answer)} ${answerParts(answer).join('')}`
  return [fact].flat().some((one) => text.includes(one))
}

/** The law that an answer contains only facts of its own chat or, without a chat, of its request; one without facts is no evidence. */
export function claimNoForeignFacts(
  { claim, session }: Scenario,
  requirement: 'OAI-CHAT-16' | 'V2-CTX-02' | 'V3-CTX-02',
  answer: Exchange,
  texts: readonly string[],
): void {
  const facts = session.noncesSaidIn(answerText(answer) ?? '')
  const foreign = facts.filter((fact) => !texts.some((text) => text.includes(fact)))
  if (facts.length === 0) return
  const what = `facts of other ${requirement === 'OAI-CHAT-16' ? 'requests' : 'chats'}`
  claim(requirement, () => expect(foreign, what).toEqual([]), answer)
}

/** New chats of others whose history is read, and refusals that end it: several in a row would end the run. */
const [maxHistories, maxDeclined] = [20, 3]

/**
 * The law that a one-shot is not stored (section 4.3): neither a name in the list of chats has one of its facts, nor the
 * history of a chat that appeared with it. The law ends no scenario: a list that is refused, or does not show a chat
 * that exists, leaves it undecided.
 */
export async function watchChats({ v3, chats, claim, session }: Scenario) {
  const probe = { role: 'probe' } as const
  const name = session.name()
  const id = v3.newChatId(await v3.postChat(name, {}, probe))
  if (id !== undefined) v3.deleteOnCleanup(id)
  let latest = await chats.list({}, probe)
  const pages: Exchange[] = []
  const histories = new Map<string, Exchange>()
  const showing = (all: readonly Exchange[], text: string) =>
    all.filter((page) => succeeded(page) && contains(chats.bodyOfPage(page), text))
  /** Searches for a text; the result also has the places in the page that show it. */
  const search = async (text: string) => {
    const page = await chats.list({ search: text }, probe)
    const leaves = succeeded(page) ? leavesOf(chats.bodyOfPage(page)) : []
    const hits = leaves.filter(({ value }) => contains(value, text))
    return { page, places: hits.map(({ path }) => path.join()) }
  }
  return {
    /** Reads the first page of the list, and what is new on it; called after each one-shot. */
    async readList(): Promise<void> {
      const page = await chats.list({}, probe)
      for (const one of chats.strangers(page, latest)) {
        const declined = [...histories.values()].filter((history) => !succeeded(history))
        if (histories.size >= maxHistories || declined.length >= maxDeclined) break
        if (!histories.has(one)) histories.set(one, await v3.history(one))
      }
      pages.push(page)
      latest = page
    },
    async claimNotStored(trials: readonly Trial[], facts: readonly string[]): Promise<void> {
      const byWord = await chats.list({ search: firstWord(name) }, probe)
      if (id === undefined || showing([...pages, byWord], id).length === 0) {
        const reason = 'the list does not show a chat that exists'
        return session.markUndecided('inconclusive', ['V3-ONE-09'], reason)
      }
      // A page may repeat the text that it was searched for.
      const control = await search(session.nonce())
      for (const fact of facts) {
        const trial = trials.find(({ body }) => contains(body, fact))
        if (trial === undefined) continue
        const byFact = await search(fact)
        const isListed = byFact.places.some((place) => !control.places.includes(place))
        const places = [
          ...showing(pages, fact),
          ...(isListed && succeeded(control.page) ? [byFact.page] : []),
          ...[...histories.values()].filter((history) => contains(answerJson(history), fact)),
        ]
        const what = `lists and histories with the words of a one-shot (${describeRow(trial.row)})`
        const isNotStored = () => expect(places.length, what).toBe(0)
        if (!claim('V3-ONE-09', isNotStored, trial.answer, control.page, ...places)) return
      }
    },
  }
}

interface Remembered {
  readonly requirement: Parameters<Scenario['claim']>[0]
  readonly answer: Exchange
  /** The fact; any one of several contradictory ones is enough. */
  readonly fact: string | readonly string[]
  /** Parts of the text that the answer has to know. */
  readonly conversation: readonly string[]
  readonly again: () => Promise<Exchange>
  /** Sends a text instead, under the same conditions and without a context: under some of them a model may be weak. */
  readonly alone: (text: string) => Promise<Exchange>
  readonly what: string
}

/**
 * The law that an answer knows a fact of its context: broken if three answers lack it, although the model recalls
 * it from one message. Applied to a requirement until it is broken or the model proves too weak for it.
 */
export function createRecallLaw(scenario: Scenario) {
  const { claim, session } = scenario
  const notes = notesOf(scenario)
  const decided = new Set<string>()
  return async ({ requirement, answer, fact, conversation, again, alone, what }: Remembered) => {
    if (decided.has(requirement)) return
    let last = answer
    // With several endpoints, another one may know what this one has lost.
    const repeats = session.context.setup.profile.baseUrls === undefined ? 2 : 0
    for (let tries = 0; tries < repeats && !knows(last, fact); tries += 1) {
      const next = await again()
      if (!isDeclined(next)) last = next
    }
    if (isDeclined(last))
      return session.markUndecided('inconclusive', [requirement], `${what} is a refusal`)
    const isKnown = knows(last, fact)
    if (!isKnown) {
      decided.add(requirement)
      // A model that repeats one end of its message does not recall.
      const others = [...notes(), ...conversation.slice(0, -1), ...notes()]
      if (!(await givesBack(session, fact, [...others, ...conversation.slice(-1)], alone)))
        return session.markUndecided('inconclusive', [requirement], weak)
    }
    claim(requirement, () => expect(isKnown, `${what} contains the fact`).toBe(true), last, answer)
  }
}

/** Says a text in a new chat, with the fields and instructions of a turn, but without its parent and its fact. */
export async function sayAlone(
  { v3 }: Scenario,
  { parent_id, ...body }: JsonObject,
  text: string,
  fact: string,
): Promise<Exchange> {
  const { chat_id, input } = v3.generateBody(await v3.createChat(), text)
  const items = Array.isArray(body['input']) ? body['input'].filter(isObject) : []
  const instructions = items.filter((item) => item['role'] === 'system' && !contains(item, fact))
  const turn = instructions.length > 0 ? [...instructions, inputText(text)] : input
  return v3.generate({ ...body, chat_id, input: turn }, { role: 'control' })
}
