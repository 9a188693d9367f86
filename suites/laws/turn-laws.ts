/** Laws of turns in one chat, which hold under all conditions. */
import { asObject } from '../../contract/index.ts'
import {
  answerParts,
  assume,
  contains,
  describeRow,
  type Exchange,
  finalResponse,
  inputText,
  isDeclined,
  plain,
  type Row,
  type Scenario,
  sendAtOnce,
} from '../../harness/conformance/scenario/index.ts'
import { createDeliveryLaw } from '../support/delivery.ts'
import { claimLinked, inputsOf, itemsOf } from '../support/history.ts'
import { otherModels } from '../support/mistakes.ts'
import {
  buildRecall,
  claimNoForeignFacts,
  createRecallLaw,
  knows,
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
import { claimShown, parentIn } from './turn-history.ts'

export async function isRemembered(run: Run, { row, body, answer }: Trial): Promise<void> {
  const { session, recall, own, texts } = run
  const tokens = asObject(finalResponse(answer)?.['usage'])?.['output_tokens']
  const limit = body['max_tokens']
  // With fewer tokens than its limit, it was not cut.
  const isUncut = limit === undefined || (typeof tokens === 'number' && tokens < Number(limit))
  const isWhole = isUncut && answerParts(answer).length > 0
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
    // A chat may remember all that was said in it, and its model may mix it up.
    conversation: [...texts, ...partsOf(body)],
    again: () => run.send(body, { after: row['after'] ?? plain }),
    alone: (text) => sayAlone(run, body, text, own.fact),
    what: `the answer to a question (${describeRow(row)})`,
  })
}

/** Texts of the messages of a turn, part by part: joined, they would be one sentence of a control. */
function partsOf(body: Body): readonly string[] {
  const parts = itemsOf(body).flatMap((item) => item.parts)
  return parts.length > 0 ? parts : inputsOf(body)
}

/** Facts of other chats; at depth full, the question is also asked in chats without facts, whose answers are judged (`judgeForeign`). */
export async function hasNoForeignFacts(
  run: Run,
  { row, body, answer, edit }: Trial,
): Promise<void> {
  const { v3, recall, coverage } = run
  run.texts.push(...partsOf(body))
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
  }
}

/** Makes the second turn of the chat the parent of the next one. */
function unlink(run: Run): void {
  run.parent = run.firstParent
  run.textsOfParent = []
}

export type Run = Awaited<ReturnType<typeof startRun>>

/** A chat with two turns, the second of which names the first as its parent. */
export async function startRun(scenario: Scenario) {
  const { v3, profile, session, prompts } = scenario
  const chat = await v3.createChat()
  const body = (text: string, more?: Body) => v3.generateBody(chat, text, more)
  const recall = buildRecall(profile, session.nonce())
  const opening = `${prompts.brief()}\n${recall.tell}\n${prompts.note(session.nonce())}`
  const first = await v3.generateOk(body(opening))
  // The fact is two links away, to distinguish a chain of one link from a complete one.
  const link = { parent_id: finalResponse(first)?.['id'] }
  const between = prompts.brief()
  const linked = await v3.generate(body(between, link), { role: 'act' })
  await claimLinked(scenario, chat, linked, first)
  const parent = finalResponse(linked)?.['id']
  // The same words are a question about another fact at the end.
  const question = await v3.generate(body(recall.ask, { parent_id: parent }))
  const send = (turn: Body, row?: Row): Promise<Exchange> => sendTurn(run, turn, row)
  const run = {
    ...scenario,
    chat,
    /** A chat that is told no fact. */
    blank: chat,
    inBlank: [] as Trial[],
    askedInBlank: 0,
    /** The first turn of the chat, and its fact. */
    opening,
    recall,
    /** The fact of inputs with several items or parts. */
    own: buildRecall(profile, session.nonce()),
    /** The id of the second turn. */
    firstParent: parent,
    /** Keys of the turns of the chat; none of the first three is repeated. */
    sentKeys: new Map([first, linked, question].map((turn) => [turn, ''])),
    texts: [chat.name, opening, between],
    send,
    /** Turns at the same time as another one. */
    besides: [] as Trial[],
    knowsFact: createRecallLaw(scenario),
    isDelivered: createDeliveryLaw(scenario, 'V3-SSE-30', {
      body,
      send: (turn, row) => send(turn, { after: row['after'] ?? plain }),
    }),
    /** The latest turn of the chain. */
    parent,
    textsOfParent: [] as readonly string[],
    /** True if the model uses the tool of the profile when it is asked for it. */
    usesTool: undefined as boolean | undefined,
    /** Number of turns with a tool list. */
    toolRows: 0,
    /** Models that have reasoned. */
    thinkers: new Set<unknown>(),
  }
  return run
}

async function sendTurn(run: Run, body: Body, { overlap, after }: Row = {}): Promise<Exchange> {
  // Directly before the turn, also if it is repeated.
  if (after === 'refusal') await sendWithoutKey(run, run.chat, {})
  const answer = await (overlap === 'two at once' ? sendTwo(run, body) : sendOne(run, body))
  // A run that the history does not show cannot be a parent; the requirements of the history judge it.
  if (isDeclined(answer) && body['parent_id'] === run.parent) {
    const isShown = (rows: unknown) => run.textsOfParent.every((text) => contains(rows, text))
    const { rows } = await run.v3.waitForHistory(run.chat, isShown)
    if (!isShown(rows)) unlink(run)
  }
  return answer
}

async function sendOne({ v3, session, sentKeys }: Run, body: Body, options: object = {}) {
  const key = session.uuid()
  const answer = await v3.generate(body, { key, role: 'act', ...options })
  sentKeys.set(answer, key)
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

/** The text of a turn before its edits. */
export function textOf(run: Run, row: Row): string {
  const { profile, prompts, session, recall, coverage } = run
  const note = prompts.note(session.nonce())
  if (row['tools'] !== plain && row['max_tokens'] !== '24' && profile.tools?.ask) {
    run.toolRows += 1
    // The other rows show that the context is kept with tool lists.
    const isAsked = coverage.depth !== 'full' || run.toolRows % 2 === 1
    if (isAsked) return `${note} ${profile.tools.ask}`
  }
  const enough = row['input']?.startsWith('several') ? [plain, '96'] : [plain]
  return `${note} ${enough.includes(String(row['max_tokens'])) ? recall.ask : prompts.longAnswer()}`
}

export function editsOf(run: Run): Edits<'v3.generate'> {
  const { profile } = run
  return {
    ...textEdits('input', run),
    model: otherModels(profile, 'model_id'),
    input: inputEdits(() => run.own.tell, run),
    parent: { given: (body) => ({ ...body, parent_id: run.parent }) },
    rag: ragEdits(profile),
    tools: toolEdits(profile),
    assistant_id: { UUID: optionalField('assistant_id', profile.assistants?.withoutKnowledge) },
    form: { stream: { stream: true } },
  }
}
