import {
  answerText,
  assume,
  covers,
  coversAtDepth,
  describe,
  type Exchange,
  expect,
  isObject,
  requireProfile,
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

/** Section 4.4 on v2: retrieval is visible only in the answer, because v2 shows no steps. */
describe('v2: retrieval', () => {
  test(
    'a v2 generation with rag: true MUST use the knowledge base in its answer',
    coversAtDepth(['V2-RAG-01'], (_, depth) => {
      const further = depth === 'full' ? rowsAtFull : 0
      return { requests: 14 + 3 * further, generations: 2 + further, uploads: 1 }
    }),
    async ({ v2, claim, profile, scenario }) => {
      const { question, expected, assistant } = requireBase(profile)
      const more = { rag: true, assistant_id: assistant }
      const file = await attachedFile(scenario)
      for (const [under, members] of besidesRag(dimensionsOf(profile, file), scenario)) {
        const ask = async (message: string, fields: object) =>
          (await v2.storeAndGenerate(await v2.chat(), message, { ...fields, ...members })).reply
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
    covers(['V2-RAG-02', 'V2-RAG-03'], { requests: 15, generations: 4, again: 1 }),
    async ({ v2, profile, scenario }) => {
      const { question, expected, assistant, tool } = requireBase(profile)
      requireProfile(profile.tools?.search, 'tools.search')
      const ask = async (rag: unknown, without: Readonly<Record<string, unknown>>) => {
        const more = { assistant_id: assistant, rag }
        const { reply } = await v2.storeAndGenerate(await v2.chat(), question, more, without)
        return { evidence: [reply], searched: answerText(reply)?.includes(expected) ?? false }
      }
      const visible = await findVisibleSearch(ask, tool)
      const { control, more } = visible
      assume(control.searched, 'rag: true does not bring the fact', ...control.evidence)
      for (const [requirement, rag] of [
        ['V2-RAG-02', false],
        ['V2-RAG-02', undefined],
        ['V2-RAG-03', 'agent'],
      ] as const) {
        const how = rag === undefined ? 'without rag' : `with rag: ${rag}`
        const what = `the answer contains the fact of the knowledge base ${how}`
        claimNotSearched(scenario, requirement, await ask(rag, more), visible, what)
      }
    },
  )
})

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
