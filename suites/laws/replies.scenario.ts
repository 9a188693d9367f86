import { asArray } from '../../contract/index.ts'
import {
  answerText,
  assume,
  coversAtDepth,
  describe,
  type Exchange,
  expect,
  expectAccepted,
  isDeclined,
  isObject,
  plain,
  type Row,
  type Scenario,
  sendAtOnce,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { otherModels } from '../support/mistakes.ts'
import { buildRecall, claimNoForeignFacts, createRecallLaw } from '../support/recall.ts'
import { replyBesideOtherChat } from '../support/refusals.ts'
import { toolsCalledIn } from '../support/retrieval.ts'
import { attachedFile } from '../support/test-data.ts'
import { fieldsOfMessage, guessesOfTools, sendWithoutContent } from './conditions/edits.ts'
import type { Body, Edits, Law, Trial } from './conditions/plan.ts'
import { requirementsOfLaws, tryConditions } from './conditions/trials.ts'

const laws: readonly Law<Run>[] = [
  { requirements: ['V2-GEN-01'], law: hasText },
  { requirements: ['V2-CTX-01'], law: isRemembered },
  { requirements: ['V2-CTX-02'], law: hasNoForeignFacts },
  { requirements: ['V2-GEN-04'], law: callsNoExcludedTool },
]

/** Replies have fewer conditions than messages. */
const share = (rows: number) => Math.ceil(rows * 0.75)

/** Section 4.2: the laws of replies to stored messages hold under all conditions. */
describe('v2: laws of replies', () => {
  test(
    'a stored message MUST get its reply under every condition',
    coversAtDepth(requirementsOfLaws('v2.generate', laws, ['V2-MSG-11']), (rows, depth) => ({
      requests: 5 * share(rows) + 16,
      generations: Math.ceil(share(rows) * (depth === 'full' ? 2.1 : 1)) + 5,
      uploads: 2,
    })),
    async (scenario) => {
      const run = await startRun(scenario)
      await tryConditions(run, {
        operation: 'v2.generate',
        rows: share(scenario.coverage.rows),
        accepts: 'V2-GEN-01',
        base: (row) => storeQuestion(run, row),
        edits: editsOf(run),
        send: (body, row) => send(run, body, row),
        always: [
          { parent: 'given' },
          { parent: 'given', after: 'refusal', model: 'alias', exclude_tools: 'one' },
        ],
        costly: ['overlap'],
        telling: { parent: ['given'], text: [plain, 'of several lines', 'beyond ASCII'] },
        guesses: guessesOfTools(scenario.profile, 'exclude_tools'),
        laws,
      })
    },
  )
})

function hasText({ claim }: Run, { answer }: Trial): void {
  const text = expect(answerText(answer), 'message.content')
  claim('V2-GEN-01', () => text.toBeTypeOf('string'), answer)
}

async function isRemembered(run: Run, { row, body, answer }: Trial): Promise<void> {
  const { question, recall, texts } = run
  if (!run.isChained) return
  if (question.includes(recall.ask)) {
    await run.knowsFact({
      requirement: 'V2-CTX-01',
      answer,
      fact: recall.fact,
      // A chat may remember all that was said in it; the question is the last.
      conversation: texts,
      again: () => send(run, body, { ...row, overlap: plain }),
      alone: async (text) => {
        const { chat_id, parent_id, ...generation } = body
        const sent = [await run.v2.chat(), text, fieldsOfMessage(run, row), generation] as const
        return (await run.v2.storeAndGenerate(...sent)).reply
      },
      what: 'the answer to a question about the first message of the chain',
    })
  }
  run.turns += 1
  run.parent = String(body['parent_id'])
  // A target may give its model only the latest messages.
  if (run.turns < maxTurns[run.coverage.depth]) return
  run.turns = 0
  run.parent = run.firstParent
}

/** Turns of the longest chain; at full a short one, as answers repeat the fact. */
const maxTurns = { quick: 4, normal: 4, full: 2 } as const

/**
 * The results of a search may come from anywhere, and the profile may name chats that others use as well. At depth full,
 * the question is also asked in a chat that is told nothing, after one that is told the fact.
 */
async function hasNoForeignFacts(run: Run, { row, body, answer }: Trial): Promise<void> {
  const { v2, profile, coverage, question, recall } = run
  if (row['rag'] !== plain || 'ids' in (profile.v2Chat ?? {})) return
  claimNoForeignFacts(run, 'V2-CTX-02', answer, run.texts)
  if (coverage.depth !== 'full') return
  const { chat_id, parent_id, ...generation } = body
  const { chat, texts } = run.blank
  const words = question.includes(recall.ask) ? question : recall.ask
  texts.push(words)
  const stored = await v2.message(v2.messageBody(chat, words, fieldsOfMessage(run, row)))
  if (!succeeded(stored)) return
  const again = v2.generateBody(chat, v2.storedId(stored), generation)
  claimNoForeignFacts(run, 'V2-CTX-02', await send(run, again, row), texts)
}

function callsNoExcludedTool(run: Run, { row, body, answer }: Trial): void {
  // With rag: true the server itself searches, which may be shown as a call (section 4.4).
  const isOwn = (name: unknown) => row['rag'] === 'true' && name === run.searchTool
  const excluded = asArray(body['exclude_tools']).filter((name) => !isOwn(name))
  if (excluded.length === 0) return
  const used = toolsCalledIn(answer).filter((name) => excluded.includes(name))
  run.claim('V2-GEN-04', () => expect(used, 'excluded tools that are called').toEqual([]), answer)
}

type Run = Awaited<ReturnType<typeof startRun>>

/** A chat with a chain of three messages and the reply to the last one. */
async function startRun(scenario: Scenario) {
  const { v2, claim, profile, session, prompts, coverage } = scenario
  const [name, nameOfBlank] = [session.name(), session.name()]
  const chat = await v2.chat(name)
  const blank = coverage.depth === 'full' ? await v2.chat(nameOfBlank) : chat
  const namesOfFiles = [session.nonce(), session.nonce()]
  const files: unknown[] = []
  for (const nonce of namesOfFiles) files.push(await attachedFile(scenario, nonce))
  const recall = buildRecall(profile, session.nonce())
  const opening = `${prompts.brief()}\n${recall.tell}\n${prompts.note(session.nonce())}`
  const { id } = await v2.storeOk(chat, opening)
  // The fact is two links away, to distinguish a chain of one link from a complete one.
  const middle = prompts.otherBrief()
  const message = v2.messageBody(chat, middle, { parent_id: id })
  let linked = await v2.message(message, { role: 'act' })
  if (isDeclined(linked)) {
    // A parent may need its reply first.
    const only = await v2.generate(v2.generateBody(chat, id), { role: 'act' })
    claim('V2-GEN-01', () => expectAccepted(only, 'a reply'), only)
    linked = await v2.message(message, { role: 'act' })
  }
  claim('V2-MSG-11', () => expectAccepted(linked, 'a message with parent_id'), linked)
  const between = v2.storedId(linked)
  const question = await v2.storeOk(chat, recall.ask, { parent_id: between })
  const first = await replyBesideOtherChat(scenario, chat, recall, (options) =>
    v2.generate(v2.generateBody(chat, question.id), { role: 'act', ...options }),
  )
  claim('V2-GEN-01', () => expectAccepted(first, 'a reply'), first)
  assume(!isDeclined(first), 'a reply is refused', first)
  return {
    ...scenario,
    chat,
    /** The fact of the first message. */
    recall,
    /** Two attachments, if the target accepts any. */
    files,
    /** All texts of the chat, its name and its files. */
    texts: [name, ...namesOfFiles, opening, middle],
    /** Turns of the chain with a question. */
    turns: 0,
    searchTool: profile.tools?.search ?? 'file_search',
    knowsFact: createRecallLaw(scenario),
    /** The latest message of the chain. */
    parent: between,
    /** The last message before the first question. */
    firstParent: between,
    /** The latest message. */
    question: '',
    /** Number of questions with a tool list. */
    listed: { none: 0, one: 0, several: 0 },
    isChained: false,
    /** A chat that is told nothing. */
    blank: { chat: blank, texts: [nameOfBlank, ...namesOfFiles] },
  }
}

/** The question in a kind of text, or digits in its place; in most rows with a tool list, for the tool. */
function questionIn(run: Run, { text: kind, exclude_tools: list }: Row): string {
  const { session, prompts, profile, recall } = run
  if (list === 'none' || list === 'one' || list === 'several') run.listed[list] += 1
  const isOdd = (list === 'none' || list === 'one') && run.listed[list] % 2 === 1
  const isForTool = list === 'several' || isOdd
  const ask = isForTool ? (profile.tools?.ask ?? recall.ask) : recall.ask
  const reference = session.nonce()
  if (kind === 'of digits') return reference.replaceAll(/\D/g, '')
  const text = kind === plain ? ask : `${prompts.note(reference)} ${ask}`
  if (kind === 'of several lines') return `First line.\n${text}\nLast line.`
  return kind === 'beyond ASCII' ? `${text} Größe, 東京 🚀.` : text
}

/** Stores a message under the conditions of a row; returns the request for its reply. */
async function storeQuestion(run: Run, row: Row): Promise<Body> {
  const { v2, prompts, chat } = run
  run.question = questionIn(run, row)
  run.texts.push(run.question)
  const link = row['parent'] === plain ? {} : { parent_id: run.parent }
  const message = { ...link, ...fieldsOfMessage(run, row) }
  const stored = await v2.message(v2.messageBody(chat, run.question, message))
  run.isChained = succeeded(stored) && row['parent'] !== plain
  // Another scenario tests the response to a message with these fields.
  const id = succeeded(stored) ? v2.storedId(stored) : (await v2.storeOk(chat, run.question)).id
  if (row['later message'] !== plain)
    await v2.message(v2.messageBody(chat, prompts.otherBrief(), link), { role: 'probe' })
  return v2.generateBody(chat, id)
}

async function send(run: Run, body: Body, row: Row): Promise<Exchange> {
  const { v2, session, chat } = run
  if (row['after'] === 'refusal') await sendWithoutContent(run, chat)
  const reply = (options = {}) => v2.generate(body, { role: 'act', ...options })
  if (row['overlap'] === plain) return reply()
  const [first, second] = await sendAtOnce(session, reply, reply)
  return second === undefined || isDeclined(second) ? (first ?? reply()) : second
}

/** Edits of the request for a reply; most conditions are those of its message. */
function editsOf({ profile, files, listed, searchTool }: Run): Edits<'v2.generate'> {
  const attached = files.every(isObject) ? {} : undefined
  const tool = profile.tools?.name ?? 'get_time'
  const assistant = profile.assistants?.withoutKnowledge
  return {
    model: otherModels(profile, 'model_id'),
    think: { true: {} },
    rag: { true: {}, agent: {} },
    attachments: { one: attached, several: attached },
    assistant_id: { UUID: assistant === undefined ? undefined : {} },
    exclude_tools: {
      none: { exclude_tools: [] },
      one: { exclude_tools: [tool] },
      // First or last, because a server may read only one of them.
      several: (body) => {
        const names = [searchTool, tool]
        return { ...body, exclude_tools: listed.several % 2 === 1 ? names : names.toReversed() }
      },
    },
  }
}
