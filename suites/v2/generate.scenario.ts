import {
  answerJson,
  answerText,
  assume,
  covers,
  describe,
  type Exchange,
  expect,
  expectAccepted,
  leavesOf,
  requireProfile,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { findVisibleSearch, maybeToolCall, requireBase } from '../support/retrieval.ts'

/** Section 4.2: POST /message/generate answers a stored message. */
describe('v2: generation', () => {
  test(
    'a v2 generation with exclude_tools MUST be answered',
    covers(['V2-GEN-04'], { requests: 4, generations: 1 }),
    async ({ v2, claim, profile }) => {
      const { name, ask } = profile.tools ?? {}
      requireProfile(name, 'tools.name')
      requireProfile(ask, 'tools.ask')
      const chat = await v2.chat()
      const { id } = await v2.storeOk(chat, ask)
      const lists = { exclude_tools: ['get_weather', name, 'get_date'] }
      const reply = await v2.generate(v2.generateBody(chat, id, lists))
      claim('V2-GEN-04', () => {
        expectAccepted(reply, 'a generation with exclude_tools')
        expect(namesIn(reply), 'names of calls in the answer').not.toContain(name)
      })
    },
  )
})

/** Every `name` in an answer, at whatever depth. */
function namesIn(answer: Exchange): unknown[] {
  const leaves = leavesOf(answerJson(answer))
  return leaves.filter(({ path }) => path.at(-1) === 'name').map(({ value }) => value)
}

/** Section 4.4 on v2: retrieval is visible only in the answer, because v2 shows no steps. */
describe('v2: retrieval', () => {
  test(
    'a v2 generation with rag: true MUST use the knowledge base in its answer',
    covers(['V2-RAG-01'], { requests: 9, generations: 1 }, 2),
    async ({ v2, claim, profile }) => {
      const { knowledge, assistants } = profile
      requireProfile(knowledge, 'knowledge')
      requireProfile(assistants?.withKnowledge, 'assistants.withKnowledge')
      const more = { rag: true, assistant_id: assistants.withKnowledge }
      let text: string | undefined
      for (let tries = 0; tries < 3 && !text?.includes(knowledge.expect); tries += 1) {
        const { reply } = await v2.storeAndGenerate(await v2.chat(), knowledge.question, more)
        text = answerText(reply)
      }
      claim('V2-RAG-01', () => expect(text, 'the answer').toContain(knowledge.expect))
    },
  )

  test(
    'a v2 generation with rag as false, agent or absent MUST NOT search before its answer',
    covers(['V2-RAG-02', 'V2-RAG-03'], { requests: 15, generations: 4 }, 1),
    async ({ v2, claim, profile, session }) => {
      const { question, expected, assistant, tool } = requireBase(profile)
      requireProfile(profile.tools?.search, 'tools.search')
      const ask = async (rag: unknown, without: Readonly<Record<string, unknown>>) => {
        const more = { assistant_id: assistant, rag }
        const { reply } = await v2.storeAndGenerate(await v2.chat(), question, more, without)
        return { evidence: [reply], searched: answerText(reply)?.includes(expected) ?? false }
      }
      const { control, more, mayBeOwn } = await findVisibleSearch(ask, tool)
      assume(control.searched, 'rag: true does not bring the fact', ...control.evidence)
      for (const [requirement, rag] of [
        ['V2-RAG-02', false],
        ['V2-RAG-02', undefined],
        ['V2-RAG-03', 'agent'],
      ] as const) {
        const reply = await ask(rag, more)
        if (reply.searched && mayBeOwn)
          session.markUndecided('inconclusive', [requirement], maybeToolCall)
        else {
          const what = `the answer contains the fact of the knowledge base ${rag === undefined ? 'without rag' : `with rag: ${rag}`}`
          const evidence = [...reply.evidence, ...control.evidence]
          claim(requirement, () => expect(reply.searched, what).toBe(false), ...evidence)
        }
      }
    },
  )
})
