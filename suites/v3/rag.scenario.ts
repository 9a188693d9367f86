import {
  assume,
  type Claim,
  covers,
  describe,
  type Exchange,
  expect,
  expectAccepted,
  expectResponse,
  isDeclined,
  requireProfile,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { claimOutputKept } from '../support/history.ts'
import {
  askInNewChat,
  findVisibleSearch,
  hasSearched,
  maybeToolCall,
  noVisibleSearch,
  requireBase,
} from '../support/retrieval.ts'
import { describeForm } from '../support/test-data.ts'

/** Section 4.4: retrieval before an answer, visible as a search step or as a fact in the answer. */
describe('v3: retrieval', () => {
  const expectation = 'the server searched: a search step, or its fact in the answer'

  test(
    'rag: true MUST search the base of the assistant',
    covers(
      ['RAG-01', 'V3-SSE-28', 'V3-ASST-01', 'V3-HIST-06'],
      { requests: 26, generations: 2, chats: 6 },
      5,
    ),
    async ({ v3, claim, profile }) => {
      const base = requireBase(profile)
      for (const stream of [true, false]) {
        const more = { assistant_id: base.assistant, stream }
        let reply = await askInNewChat(v3, base, { ...more, rag: true })
        await acceptsAssistant(
          claim,
          reply.reply,
          async () => (await askInNewChat(v3, base, more)).reply,
        )
        for (let tries = 1; tries < 3 && !reply.searched; tries += 1) {
          reply = await askInNewChat(v3, base, { ...more, rag: true })
        }
        claim('RAG-01', () => expect(reply.searched, expectation).toBe(true), ...reply.evidence)
        await claimOutputKept({ v3, claim }, reply.chat, reply.reply)
      }
    },
  )

  test(
    'a generation with rag as false, agent or absent MUST NOT search before its answer',
    covers(['RAG-02', 'RAG-03', 'RAG-05'], { requests: 40, generations: 7, chats: 8 }, 1),
    async ({ v3, claim, profile, session }) => {
      const base = requireBase(profile)
      const ask = (rag: unknown, more: Readonly<Record<string, unknown>>) =>
        askInNewChat(v3, base, { assistant_id: base.assistant, rag, ...more }, 'act')
      const { control, more, mayBeOwn } = await findVisibleSearch(ask, base.tool)
      assume(control.searched, noVisibleSearch, ...control.evidence)
      for (const [requirement, rag, stream] of [
        ['RAG-02', false, false],
        ['RAG-02', false, true],
        ['RAG-03', 'agent', false],
        ['RAG-03', 'agent', true],
        ['RAG-05', undefined, false],
        ['RAG-05', undefined, true],
      ] as const) {
        const reply = await ask(rag, { ...more, stream })
        if (isDeclined(reply.reply)) {
          // The same with rag: true was accepted.
          const taken = () => expectAccepted(reply.reply, `a generation with rag: ${rag}`)
          claim(requirement, taken, reply.reply, ...control.evidence)
          continue
        }
        if (reply.searched && mayBeOwn)
          session.markUndecided('inconclusive', [requirement], maybeToolCall)
        else {
          const what = `the server searched ${rag === undefined ? 'without rag' : `with rag: ${rag}`}`
          const evidence = [...reply.evidence, ...control.evidence]
          claim(requirement, () => expect(reply.searched, what).toBe(false), ...evidence)
        }
      }
    },
  )

  test(
    'a one-shot without rag MUST NOT search before its answer',
    covers(['RAG-02', 'RAG-03', 'RAG-04', 'RAG-06'], { requests: 6, generations: 6 }, 1),
    async ({ oneShot, claim, profile, prompts }) => {
      const base = requireBase(profile)
      const ask = async (rag: unknown, more: Readonly<Record<string, unknown>>) => {
        const body = oneShot.body(base.question, { assistant_id: base.assistant, rag, ...more })
        // The document lists no exclude_tools for a one-shot: a server may refuse it.
        const isListed = more['exclude_tools'] === undefined
        const reply = await oneShot[isListed ? 'sendOk' : 'send'](body, { role: 'act' })
        return { evidence: [reply], searched: succeeded(reply) && hasSearched(reply, base) }
      }
      const { control, more, mayBeOwn } = await findVisibleSearch(ask, base.tool)
      assume(control.searched, noVisibleSearch, ...control.evidence)
      for (const stream of [false, true]) {
        const reply = await ask(undefined, { ...more, stream })
        const evidence = [...reply.evidence, ...control.evidence]
        assume(!(reply.searched && mayBeOwn), maybeToolCall, ...evidence)
        const what = `the server searched without rag${describeForm({ stream })}`
        claim('RAG-06', () => expect(reply.searched, what).toBe(false), ...evidence)
      }
      // One-shot accepts every value that a chat generation accepts.
      for (const [requirement, rag] of [
        ['RAG-02', false],
        ['RAG-03', 'agent'],
        ['RAG-04', profile.rag?.object],
      ] as const) {
        if (rag === undefined) continue
        const reply = await oneShot.send(
          oneShot.body(prompts.brief(), { assistant_id: base.assistant, rag }),
        )
        const taken = () => expectAccepted(reply, `a one-shot with rag: ${JSON.stringify(rag)}`)
        if (isDeclined(reply)) claim(requirement, taken, reply, ...control.evidence)
      }
    },
  )

  test(
    'rag as an object MUST search as true does',
    covers(['RAG-04', 'RAG-08'], { requests: 22, generations: 4, chats: 4 }),
    async ({ v3, claim, profile }) => {
      const base = requireBase(profile)
      const object = profile.rag?.object
      requireProfile(object, 'rag.object')
      const { search_type: usual = 'hybrid' } = object
      const more = { assistant_id: base.assistant }
      for (const members of [
        { rag: object, stream: false },
        { rag: { ...object, search_type: usual }, stream: true },
      ]) {
        const reply = await askInNewChat(v3, base, { ...more, ...members })
        claim(
          'RAG-04',
          () => {
            expectResponse(reply.reply, 'a generation with a rag object')
            expect(reply.searched, expectation).toBe(true)
          },
          ...reply.evidence,
        )
      }
      // The document does not specify the effect of each parameter on a search, so none can be tested by itself.
      const types = ['hybrid', 'dense', 'sparse']
      for (const search_type of types.filter((type) => type !== usual)) {
        const typed = await v3.generate(
          v3.generateBody(await v3.createChat(), base.question, {
            ...more,
            rag: { ...object, search_type },
          }),
        )
        claim(
          'RAG-08',
          () => expectResponse(typed, `a rag object with search_type ${search_type}`),
          typed,
        )
      }
    },
  )
})

/** A refusal is due to the assistant or to its search: the same request without rag shows which. */
async function acceptsAssistant(
  claim: Claim,
  reply: Exchange,
  withoutRag: () => Promise<Exchange>,
): Promise<void> {
  const evidence = succeeded(reply) ? reply : await withoutRag()
  const response = () => expectResponse(evidence, 'a generation with assistant_id')
  assume(claim('V3-ASST-01', response, evidence), 'the assistant is refused', reply, evidence)
}
