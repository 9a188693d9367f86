/** Laws of turns in one chat, which hold under all conditions. */
import {
  answerParts,
  assume,
  type Chat,
  contains,
  describeRow,
  type Exchange,
  finalResponse,
  inputText,
  isDeclined,
  plain,
  type Row,
  type ScenarioContext,
  sendAtOnce,
} from '../../harness/conformance/scenario/index.ts'
import { createDeliveryLaw } from '../support/delivery.ts'
import { claimLinked } from '../support/history.ts'
import { otherModels } from '../support/mistakes.ts'
import {
  buildRecall,
  claimNoForeignFacts,
  createRecallLaw,
  endsBefore,
  knows,
  type Recall,
  sayAlone,
} from '../support/recall.ts'
import { textEdits } from '../support/text-edits.ts'
import {
  inputEdits,
  optionalField,
  ragEdits,
  sendWithoutKey,
  toolEdits,
} from './conditions/edits.ts'
import type { Body, Edits, Trial } from './conditions/plan.ts'
import { claimShown, inputsOf, parentIn } from './turn-history.ts'

export async function isRemembered(run: Run, { row, body, answer }: Trial): Promise<void> {
  const { session, recall, own, conversation } = run
  const isWhole = endsBefore(answer, body['max_tokens']) && answerParts(answer).length > 0
  const isAsked = inputsOf(body).at(-1)?.includes(recall.ask) ?? false
  if (!isWhole || !isAsked) return
  const isOwn = row['input'] === 'several items' || row['input'] === 'several parts'
  if (!isOwn && row['parent'] === plain) {
    session.observe('OPEN-36', knows(answer, [recall.fact, own.fact]) ? 'yes' : 'no', [answer])
    return
  }
  await run.knowsFact({
    requirement: isOwn ? 'V3-GEN-16' : 'V3-CTX-01',
    answer,
    fact: isOwn ? own.fact : [recall.fact, own.fact],
    conversation: isOwn ? [own.tell, own.ask] : [...conversation, ...inputsOf(body)],
    again: () => run.send(body, { after: row['after'] ?? plain }),
    alone: (text) => sayAlone(run, body, text),
    what: `the answer to a question (${describeRow(row)})`,
  })
}

/** Facts of other chats; at depth full, the question is also asked in chats without facts, in which they show. */
export async function hasNoForeignFacts(
  run: Run,
  { row, body, answer, edit }: Trial,
): Promise<void> {
  const { v3, recall, coverage } = run
  run.texts.push(...inputsOf(body))
  // The results of a search may come from anywhere.
  const hasSearch = row['rag'] !== plain && row['rag'] !== 'false'
  if (!hasSearch) claimNoForeignFacts(run, 'V3-CTX-02', answer, run.texts)
  if (coverage.depth !== 'full' || row['max_tokens'] === '1') return
  // Every third question is the first turn of its chat.
  if (run.askedInBlank % 3 === 0) [run.blank, run.inBlank] = [await v3.createChat(), []]
  run.askedInBlank += 1
  const { blank } = run
  const before = run.inBlank.at(-1)?.answer
  const parent = row['parent'] !== plain && before ? finalResponse(before)?.['id'] : undefined
  const question = { ...edit(v3.generateBody(blank, recall.ask)), parent_id: parent }
  // Some kinds of text replace the question, and some inputs state a fact.
  const isAsked = inputsOf(question).at(-1)?.includes(recall.ask) ?? false
  if (!isAsked || row['input']?.startsWith('several')) return
  if (row['after'] === 'refusal') await sendWithoutKey(run, blank, {})
  const reply = await v3.generate(question, { role: 'act' })
  const texts = [blank.name, ...inputsOf(question)]
  if (!hasSearch) claimNoForeignFacts(run, 'V3-CTX-02', reply, texts)
  if (finalResponse(reply) === undefined) return
  // Questions of a chat may have the same text.
  run.inBlank.push({ row, body: question, answer: reply, edit })
  await claimShown(run, blank, run.inBlank)
}

/** Makes a turn with a parent the parent of the next one; at depth full, only of one, as answers repeat the fact. */
export function linkNextTurn(run: Run, { row, body, answer }: Trial): void {
  const id = parentIn(answer)
  if (id === undefined || row['parent'] === plain) return
  // Whether the history lost the turn could not be told: a short text may be part of any other one.
  if (inputsOf(body).every((text) => text.length < 16)) return
  if (run.coverage.depth === 'full' && run.textsOfParent.length > 0) unlink(run)
  else {
    run.parent = id
    run.textsOfParent = inputsOf(body)
    run.conversation.push(...inputsOf(body), answerParts(answer).join(''))
  }
}

/** Makes the second turn of the chat the parent of the next one. */
function unlink(run: Run): void {
  run.parent = finalResponse(run.linked)?.['id']
  run.textsOfParent = []
  // The texts of the first two turns.
  run.conversation.length = 2
}

type Context = Pick<
  ScenarioContext,
  'v3' | 'chats' | 'claim' | 'profile' | 'session' | 'prompts' | 'coverage'
>

export interface Run extends Context {
  readonly chat: Chat
  /** A chat that is told no fact. */
  blank: Chat
  inBlank: Trial[]
  askedInBlank: number
  /** The first turn of the chat, and its fact. */
  readonly opening: string
  readonly recall: Recall
  /** The fact of inputs with several items or parts. */
  readonly own: Recall
  /** The second turn. */
  readonly linked: Exchange
  readonly keys: Map<Exchange, string>
  /** Parts of the chain of turns with a parent. */
  readonly conversation: string[]
  /** All texts of the chat. */
  readonly texts: string[]
  readonly send: (body: Body, row?: Row) => Promise<Exchange>
  /** Turns at the same time as another one. */
  readonly besides: Trial[]
  readonly knowsFact: ReturnType<typeof createRecallLaw>
  readonly isDelivered: ReturnType<typeof createDeliveryLaw>
  /** The latest turn of the chain. */
  parent: unknown
  textsOfParent: readonly string[]
  /** True if the model uses the tool of the profile when it is asked for it. */
  usesTool?: boolean
  /** Number of turns with a tool list. */
  toolRows: number
}

/** A chat with two turns, the second of which names the first as its parent. */
export async function startRun(context: Context): Promise<Run> {
  const { v3, claim, profile, session, prompts } = context
  const chat = await v3.createChat()
  const body = (text: string, more?: Body) => v3.generateBody(chat, text, more)
  const recall = buildRecall(profile, session.nonce())
  const opening = `${prompts.brief()}\n${recall.tell}\n${prompts.note(session.nonce())}`
  const first = await v3.generateOk(body(opening))
  // The fact is two links away, to distinguish a chain of one link from a complete one.
  const link = { parent_id: finalResponse(first)?.['id'] }
  const between = prompts.brief()
  const linked = await v3.generate(body(between, link), { role: 'act' })
  await claimLinked({ v3, claim }, chat, linked, first)
  // The same words are a question about another fact at the end.
  await v3.generate(body(recall.ask, { parent_id: finalResponse(linked)?.['id'] }))
  const run: Run = {
    ...context,
    chat,
    blank: chat,
    inBlank: [],
    askedInBlank: 0,
    opening,
    recall,
    own: buildRecall(profile, session.nonce()),
    linked,
    keys: new Map(),
    conversation: [opening, between],
    texts: [chat.name, opening],
    send: (turn, row) => sendTurn(run, turn, row),
    besides: [],
    knowsFact: createRecallLaw(context),
    isDelivered: createDeliveryLaw(context, 'V3-SSE-30', {
      body,
      send: (turn, row) => sendTurn(run, turn, { after: row['after'] ?? plain }),
    }),
    parent: finalResponse(linked)?.['id'],
    textsOfParent: [],
    toolRows: 0,
  }
  return run
}

async function sendTurn(run: Run, body: Body, { overlap, after }: Row = {}): Promise<Exchange> {
  // Directly before the turn, also if it is repeated.
  if (after === 'refusal') await sendWithoutKey(run, run.chat, {})
  const answer = await (overlap === 'two at once' ? sendTwo(run, body) : sendOne(run, body))
  // A run that the history does not show is no parent: it is for the history.
  if (isDeclined(answer) && body['parent_id'] === run.parent) {
    const isShown = (rows: unknown) => run.textsOfParent.every((text) => contains(rows, text))
    const { rows } = await run.v3.waitForHistory(run.chat, isShown)
    if (!isShown(rows)) unlink(run)
  }
  return answer
}

async function sendOne({ v3, session, keys }: Run, body: Body, options: object = {}) {
  const key = session.uuid()
  const answer = await v3.generate(body, { key, role: 'act', ...options })
  keys.set(answer, key)
  return answer
}

/** Sends a turn at the same time as another one, which must be kept as well if it is accepted. */
async function sendTwo(run: Run, body: Body): Promise<Exchange> {
  const { v3, session, prompts, chat } = run
  // A server may refuse a message of the system that is not the first.
  const items = [inputText(prompts.brief()), inputText(prompts.note(session.nonce()), 'system')]
  const other = v3.generateBody(chat, [...items, inputText(prompts.brief(session.nonce()))])
  run.texts.push(...inputsOf(other))
  const send = (turn: Body) => (options: object) => sendOne(run, turn, options)
  const [answer, beside] = await sendAtOnce(session, send(body), send(other))
  assume(answer && beside, 'a request is missing')
  const row = { overlap: 'two at once' }
  if (!isDeclined(beside))
    run.besides.push({ row, body: other, answer: beside, edit: (turn) => turn })
  return answer
}

export function editsOf(run: Run): Edits<'v3.generate'> {
  const { profile, prompts, session } = run
  return {
    ...textEdits('input', { prompts, session }),
    model: otherModels(profile, 'model_id'),
    input: inputEdits(() => run.own.tell, run),
    parent: { given: (body) => ({ ...body, parent_id: run.parent }) },
    rag: ragEdits(profile),
    tools: toolEdits(profile),
    assistant_id: { UUID: optionalField('assistant_id', profile.assistants?.withoutKnowledge) },
    form: { stream: { stream: true } },
  }
}
