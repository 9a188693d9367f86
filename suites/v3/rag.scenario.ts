import {
  answerText,
  type Claim,
  covers,
  declared,
  describe,
  type Exchange,
  expect,
  expectResponse,
  finalResponse,
  given,
  isRecord,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'

/** Section 4.4: retrieval before an answer, seen as a search step or as its fact in the answer. */
describe('v3: retrieval', () => {
  test(
    'rag: true searches the base of the assistant',
    covers(['RAG-01', 'V3-SSE-28', 'V3-ASST-01'], { requests: 14, generations: 2, chats: 6 }, 5),
    async ({ v3, claim, profile }) => {
      const { question, expected, assistant } = baseOf(profile)
      const ask = async (more: Record<string, unknown>) =>
        v3.generate(v3.turn(await v3.createChat(), question, { assistant_id: assistant, ...more }))
      for (const stream of [true, false]) {
        const more = { rag: true, stream }
        let reply = await ask(more)
        await acceptsAssistant(claim, reply, () => ask({ stream }))
        for (let tries = 1; tries < 3 && !searched(reply, expected); tries += 1)
          reply = await ask(more)
        claim(
          'RAG-01',
          () =>
            expect(searched(reply, expected), 'a search step, or its fact in the answer').toBe(
              true,
            ),
          reply,
        )
      }
    },
  )

  test(
    'rag: false, agent or nothing makes no search before the answer',
    covers(['RAG-02', 'RAG-03', 'RAG-05'], { requests: 12, generations: 4, chats: 4 }),
    async ({ v3, claim, profile }) => {
      const { question, expected, assistant, search } = baseOf(profile)
      const ask = async (rag: unknown) => {
        const more = { rag, assistant_id: assistant, exclude_tools: [search] }
        return v3.say(v3.turn(await v3.createChat(), question, more), { role: 'act' })
      }
      const able = await ask(true)
      given(
        searched(able, expected),
        'rag: true shows no search, so its absence says nothing',
        able,
      )
      for (const [row, rag] of [
        ['RAG-02', false],
        ['RAG-03', 'agent'],
        ['RAG-05', undefined],
      ] as const) {
        const reply = await ask(rag)
        const searching = searched(reply, expected)
        claim(row, () => expect(searching, `a search with rag: ${rag}`).toBe(false), able, reply)
      }
    },
  )

  test(
    'a one-shot without rag makes no search before the answer',
    covers(['RAG-06'], { requests: 2, generations: 2 }),
    async ({ oneShot, claim, profile }) => {
      const { question, expected, assistant, search } = baseOf(profile)
      const ask = (more: Record<string, unknown>) =>
        oneShot.body(question, { assistant_id: assistant, exclude_tools: [search], ...more })
      const able = await oneShot.ask(ask({ rag: true }))
      given(
        searched(able, expected),
        'rag: true shows no search, so its absence says nothing',
        able,
      )
      const reply = await oneShot.ask(ask({}), { role: 'act' })
      claim(
        'RAG-06',
        () => expect(searched(reply, expected), 'a search without rag').toBe(false),
        able,
        reply,
      )
    },
  )

  test(
    'rag as an object searches like true',
    covers(['RAG-04', 'RAG-08'], { requests: 12, generations: 4, chats: 4 }),
    async ({ v3, claim, profile }) => {
      const { question, expected, assistant } = baseOf(profile)
      const object = profile.rag?.object
      declared(object, 'rag.object')
      const ask = async (rag: unknown) =>
        v3.generate(v3.turn(await v3.createChat(), question, { rag, assistant_id: assistant }))
      const reply = await ask(object)
      claim(
        'RAG-04',
        () => {
          expectResponse(reply, 'a generation with a rag object')
          expect(searched(reply, expected), 'a search step, or its fact in the answer').toBe(true)
        },
        reply,
      )
      for (const search_type of ['hybrid', 'dense', 'sparse']) {
        const typed = await ask({ ...object, search_type })
        claim(
          'RAG-08',
          () => expectResponse(typed, `a rag object with search_type ${search_type}`),
          typed,
        )
      }
    },
  )

  test(
    'rag: true with an assistant that has no base is answered all the same',
    covers(['RAG-07', 'V3-ASST-01'], { requests: 5, generations: 1, chats: 2 }, 1),
    async ({ v3, claim, profile }) => {
      const assistant = profile.assistants?.withoutKnowledge
      declared(assistant, 'assistants.withoutKnowledge')
      const ask = async (more: Record<string, unknown>) =>
        v3.generate(
          v3.turn(await v3.createChat(), 'Name a colour.', { assistant_id: assistant, ...more }),
        )
      const reply = await ask({ rag: true })
      await acceptsAssistant(claim, reply, () => ask({}))
      claim(
        'RAG-07',
        () => expectResponse(reply, 'rag: true with an assistant that has no base'),
        reply,
      )
    },
  )
})

/** A refusal is one of the assistant, or one of its search: the same without rag tells which. */
async function acceptsAssistant(
  claim: Claim,
  reply: Exchange,
  withoutRag: () => Promise<Exchange>,
): Promise<void> {
  const shown = succeeded(reply) ? reply : await withoutRag()
  const response = () => expectResponse(shown, 'a generation with assistant_id')
  given(claim('V3-ASST-01', response, shown), 'the assistant is refused', reply, shown)
}

interface Declared {
  readonly knowledge?: { readonly question: string; readonly expect: string } | undefined
  readonly assistants?: { readonly withKnowledge?: string | undefined } | undefined
  readonly tools?: { readonly search?: string | undefined } | undefined
}

function baseOf({ knowledge, assistants, tools }: Declared) {
  declared(knowledge, 'knowledge')
  const assistant = assistants?.withKnowledge
  declared(assistant, 'assistants.withKnowledge')
  const { question, expect: expected } = knowledge
  return { question, expected, assistant, search: tools?.search ?? 'file_search' }
}

/** A search step in the output, or the fact that only the base knows in the answer. */
function searched(reply: Exchange, expected: string): boolean {
  const output = finalResponse(reply)?.['output']
  const items = Array.isArray(output) ? output.filter(isRecord) : []
  const step = items.some(
    (item) => typeof item['type'] === 'string' && item['type'].includes('search'),
  )
  return step || (answerText(reply)?.includes(expected) ?? false)
}
