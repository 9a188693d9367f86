import type { JsonObject } from '../../contract/index.ts'
import {
  answerText,
  assume,
  coversAtDepth,
  describe,
  type Exchange,
  expect,
  isObject,
  requireProfile,
  type Scenario,
  succeeded,
  type TargetProfile,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { each, otherModels } from '../support/mistakes.ts'
import { askUntil, assumeRecall } from '../support/recall.ts'
import {
  besidesRag,
  claimNotSearched,
  findVisibleSearch,
  requireBase,
  rowsAtFull,
} from '../support/retrieval.ts'
import { attachedFile } from '../support/test-data.ts'

/** Values of `rag` without a search before the answer. */
const values = [
  ['V2-RAG-02', false],
  ['V2-RAG-02', undefined],
  ['V2-RAG-03', 'agent'],
] as const

/** Section 4.4 on v2: retrieval is visible only in the answer, because v2 shows no steps. */
describe('v2: retrieval', () => {
  test(
    'a v2 generation with rag: true MUST use the knowledge base in its answer',
    coversAtDepth(['V2-RAG-01'], (_, depth) => {
      const further = depth === 'full' ? rowsAtFull : 0
      return { requests: 18 + 5 * further, generations: 2 + Math.ceil(1.5 * further), uploads: 1 }
    }),
    async ({ v2, claim, profile, scenario }) => {
      const { question, expected, assistant } = requireBase(profile)
      const more = { rag: true, assistant_id: assistant }
      const file = await attachedFile(scenario)
      const rows = besidesRag(dimensionsOf(profile, file), scenario)
      for (const [at, [under, members]] of rows.entries()) {
        const ask = async (message: string, fields: object) => {
          const { chat, place } = await placeOf(scenario, at)
          const more = { ...fields, ...members, ...place }
          return (await v2.storeAndGenerate(chat, message, more)).reply
        }
        const isTold = (reply: Exchange) => answerText(reply)?.includes(expected) === true
        const reply = await askUntil(isTold, () => ask(question, more))
        if (!isTold(reply)) {
          const send = (message: string) => ask(message, {})
          await assumeRecall(scenario, reply, send)
        }
        const text = expect(answerText(reply), `the answer${under}`)
        claim('V2-RAG-01', () => text.toContain(expected))
      }
    },
  )

  test(
    'a v2 generation with rag as false, agent or absent MUST NOT search before its answer',
    coversAtDepth(
      ['V2-RAG-02', 'V2-RAG-03'],
      (_, depth) => {
        const further = depth === 'full' ? values.length * (rowsAtFull + 1) : 0
        return { requests: 15 + 6 * further, generations: 4 + Math.ceil(1.5 * further) }
      },
      { again: 1 },
    ),
    async ({ v2, profile, depth, prompts, scenario }) => {
      const { question, expected, assistant, tool } = requireBase(profile)
      requireProfile(profile.tools?.search, 'tools.search')
      const ask = async (rag: unknown, without: JsonObject, members: JsonObject = {}, at = 0) => {
        const { chat, place } = await placeOf(scenario, at)
        const more = { assistant_id: assistant, rag, ...members, ...place }
        const { reply } = await v2.storeAndGenerate(chat, question, more, without)
        return { evidence: [reply], searched: answerText(reply)?.includes(expected) ?? false }
      }
      const visible = await findVisibleSearch(ask, tool)
      const { control, more } = visible
      assume(control.searched, 'rag: true does not retrieve the fact', ...control.evidence)
      const text = each('content', `${prompts.followUp()}\n${question}`)
      const rows = besidesRag({ ...dimensionsOf(profile, undefined), text }, scenario)
      const tried = depth === 'full' ? rows : rows.slice(0, 1)
      for (const [at, [under, members]] of tried.entries())
        for (const [requirement, rag] of values) {
          const how = rag === undefined ? 'without rag' : `with rag: ${rag}`
          const what = `the answer contains the fact of the knowledge base ${how}${under}`
          claimNotSearched(scenario, requirement, await ask(rag, more, members, at), visible, what)
        }
    },
  )
})

/**
 * A new chat; for every second further question, with a turn, which the question continues. The second one continues
 * itself without a reply, which costs no generation and seeks nothing else.
 */
async function placeOf({ v2, prompts, profile }: Scenario, at: number) {
  const chat = await v2.chat()
  const isLater = at > 1 && at % 2 === 0
  if (at !== 1 && !isLater) return { chat, place: {} }
  const { question } = requireBase(profile)
  const [parent_id, text] = isLater
    ? [(await v2.storeAndGenerate(chat, prompts.brief())).messageId, prompts.followUp()]
    : [(await v2.storeOk(chat, question)).id, question]
  // Open: whether a message with or without a reply takes another one.
  const next = await v2.message(v2.messageBody(chat, text, { parent_id }), { role: 'probe' })
  return { chat, place: succeeded(next) ? { parent_id: v2.storedId(next) } : {} }
}

/** Fields of a message that have nothing to do with its search. */
function dimensionsOf(profile: TargetProfile, file: unknown) {
  // The model for images may be a weaker one.
  const { alias } = otherModels(profile, 'model_id')
  return {
    model: { alias },
    think: each('think', true),
    attachments: { one: isObject(file) ? { attachments: [file] } : undefined },
  }
}
