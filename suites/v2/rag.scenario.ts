import {
  answerText,
  covers,
  declared,
  describe,
  expect,
  expectAccepted,
  given,
  test,
} from '../../harness/conformance/scenario/index.ts'

/** Section 4.4 on v2: retrieval shows in the answer alone, for the steps are not shown. */
describe('v2: retrieval', () => {
  test(
    'rag: true brings the knowledge base into the answer',
    covers(['V2-RAG-01'], { requests: 7, generations: 3 }),
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

  for (const [row, values] of [
    ['V2-RAG-02', [false, undefined]],
    ['V2-RAG-03', ['agent']],
  ] as const) {
    test(
      `rag: ${values.join(' or ')} makes no search before the answer (v2)`,
      covers([row], { requests: 9, generations: 4 }),
      async ({ v2, claim, profile }) => {
        const { knowledge, assistants, tools } = profile
        declared(knowledge, 'knowledge')
        declared(assistants?.withKnowledge, 'assistants.withKnowledge')
        declared(tools?.search, 'tools.search')
        const assistant = { assistant_id: assistants.withKnowledge }
        const without = { exclude_tools: [tools.search] }
        const able = await v2.say(
          await v2.chat(),
          knowledge.question,
          { ...assistant, rag: true },
          without,
        )
        given(
          answerText(able.reply)?.includes(knowledge.expect),
          'rag: true does not bring the fact',
          able.reply,
        )
        for (const rag of values) {
          const { reply } = await v2.say(
            await v2.chat(),
            knowledge.question,
            { ...assistant, rag },
            without,
          )
          claim(
            row,
            () => {
              expectAccepted(reply)
              expect(answerText(reply), `the answer with rag: ${rag}`).not.toContain(
                knowledge.expect,
              )
            },
            reply,
          )
        }
      },
    )
  }
})
