import {
  answerText,
  covers,
  declared,
  describe,
  expect,
  given,
  test,
} from '../../harness/conformance/scenario/index.ts'

/** Section 4.4 on v2: retrieval shows in the answer alone, for the steps are not shown. */
describe('v2: retrieval', () => {
  test(
    'rag: true brings the knowledge base into the answer',
    covers(['V2-RAG-01'], { requests: 9, generations: 1 }, 2),
    async ({ v2, claim, profile }) => {
      const { knowledge, assistants } = profile
      declared(knowledge, 'knowledge')
      declared(assistants?.withKnowledge, 'assistants.withKnowledge')
      const more = { rag: true, assistant_id: assistants.withKnowledge }
      let text: string | undefined
      for (let tries = 0; tries < 3 && !text?.includes(knowledge.expect); tries += 1) {
        const { reply } = await v2.say(await v2.chat(), knowledge.question, more)
        text = answerText(reply)
      }
      claim('V2-RAG-01', () => expect(text, 'the answer').toContain(knowledge.expect))
    },
  )

  test(
    'rag: false, agent or nothing makes no search before the answer (v2)',
    covers(['V2-RAG-02', 'V2-RAG-03'], { requests: 12, generations: 4 }),
    async ({ v2, claim, profile }) => {
      const { knowledge, assistants, tools } = profile
      declared(knowledge, 'knowledge')
      declared(assistants?.withKnowledge, 'assistants.withKnowledge')
      declared(tools?.search, 'tools.search')
      const without = { exclude_tools: [tools.search] }
      const ask = async (rag: unknown) => {
        const more = { assistant_id: assistants.withKnowledge, rag }
        return (await v2.say(await v2.chat(), knowledge.question, more, without)).reply
      }
      const able = await ask(true)
      const found = answerText(able)?.includes(knowledge.expect)
      given(found, 'rag: true does not bring the fact', able)
      for (const [row, rag] of [
        ['V2-RAG-02', false],
        ['V2-RAG-02', undefined],
        ['V2-RAG-03', 'agent'],
      ] as const) {
        const reply = await ask(rag)
        const text = answerText(reply)
        const what = `the answer with rag: ${rag}`
        claim(row, () => expect(text, what).not.toContain(knowledge.expect), able, reply)
      }
    },
  )
})
