import {
  answerJson,
  answerText,
  assume,
  contains,
  covers,
  describe,
  type Exchange,
  expect,
  expectAccepted,
  expectRejected,
  expectResponse,
  finalResponse,
  inputText,
  isDeclined,
  requireProfile,
  sendAtOnce,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { askUntil, assumeRecall, buildRecall, knows } from '../support/recall.ts'

/** Section 4.3: context of a one-shot in addition to its input: an assistant, a knowledge base. */
describe('v3: context of a one-shot', () => {
  test(
    'a one-shot SHOULD NOT know what another request said',
    covers(['V3-ONE-11'], { requests: 4, generations: 3, again: 3 }),
    async ({ oneShot, claim, profile, session }) => {
      const facts = [session.nonce(), session.nonce()]
      const { ask } = buildRecall(profile, '')
      const replies = await sendAtOnce(
        session,
        ...facts.map((fact) => (options: object) => {
          const { tell } = buildRecall(profile, fact)
          return oneShot.sendOk(oneShot.body(`${tell} ${ask}`), options)
        }),
      )
      const later = await oneShot.sendOk(oneShot.body(ask))
      const lists = { exclude_tools: ['get_weather'], include_tools: ['get_time'] }
      const both = await oneShot.send(oneShot.body(ask, lists), { role: 'probe' })
      const fate = isDeclined(both) ? `refused with ${both.response?.status}` : 'accepted'
      session.observe('OPEN-37', fate, [both])
      const texts = [...replies, later].map((reply) => answerText(reply) ?? '')
      // Another scenario may have sent its one-shot meanwhile.
      const foreign = texts.flatMap((text, of) =>
        [...facts, ...session.noncesSaidIn(text)].filter(
          (fact) => fact !== facts[of] && text.includes(fact),
        ),
      )
      const isAble = foreign.length > 0 || facts.every((fact, at) => texts[at]?.includes(fact))
      assume(isAble, 'the model does not recall a fact from the same message', ...replies)
      const what = 'facts in the answers to other requests, at the same time or later'
      claim('V3-ONE-11', () => expect([...new Set(foreign)], what).toEqual([]), later, ...replies)
    },
  )

  test(
    'a one-shot MUST accept null as assistant_id',
    covers(['V3-ONE-06'], { requests: 2, generations: 1, again: 1 }),
    async ({ oneShot, claim, profile, session, prompts }) => {
      const assistant = profile.requests.assistant ?? {
        instructions: prompts.instruction(prompts.instruction('You are brief.')),
      }
      const reply = await oneShot.send(
        oneShot.body(prompts.brief(), { assistant_id: null, assistant }),
      )
      if (!succeeded(reply) && profile.requests.assistant === undefined) {
        session.observe('OPEN-11', `the guessed assistant: ${reply.response?.status}`, [reply])
        const plain = await oneShot.send(oneShot.body(prompts.brief(), { assistant_id: null }))
        const isOpen =
          'the structure of assistant is open: set requests.assistant in the target profile'
        assume(succeeded(plain), isOpen, plain)
        return void claim('V3-ONE-06', () => expectResponse(plain, 'assistant_id: null'), plain)
      }
      const members = Object.keys(assistant).join(', ')
      session.observe('OPEN-11', `${members}: ${reply.response?.status}`, [reply])
      claim('V3-ONE-06', () => expectResponse(reply, 'assistant_id: null with an assistant'), reply)
    },
  )

  test(
    'searcher MUST answer from a knowledge base',
    covers(['V3-ONE-02', 'V3-ONE-07', 'V3-ONE-12'], {
      requests: 13,
      generations: 3,
      chats: 1,
      again: 8,
    }),
    async ({ oneShot, v3, claim, profile, scenario }) => {
      const { knowledge, capabilities } = profile
      if (!capabilities.knowledge) return
      requireProfile(knowledge, 'knowledge')
      const body = (more: Record<string, unknown>) =>
        oneShot.body(knowledge.question, { assistant_id: 'searcher', ...more })
      // A refusal may be due to the searcher or to its form.
      const isWhole = (one: Exchange) => !isDeclined(one) && finalResponse(one) !== undefined
      const streamed = await askUntil(isWhole, () => oneShot.send(body({ stream: true })), 2)
      const open = isWhole(streamed) ? streamed : await oneShot.send(body({}))
      if (succeeded(open)) {
        const what = 'searcher as a stream'
        claim('V3-ONE-02', () => expectAccepted(streamed, what), streamed, open)
      }
      // The text may be in several parts.
      const isFound = (reply: Exchange) =>
        contains(answerJson(reply), knowledge.expect) || knows(reply, knowledge.expect)
      const askIn = (form: object) =>
        askUntil(
          (one) => !succeeded(one) || isFound(one),
          () => oneShot.send(body({ kb_id: knowledge.baseId, ...form })),
        )
      const reply = await askIn({})
      const askInStream = async () => {
        const item = { stream: true, input: [inputText(knowledge.question)] }
        const one = await askIn(item)
        // Another scenario tests if items are accepted.
        return isDeclined(one) ? askIn({ stream: true }) : one
      }
      for (const one of open === streamed ? [reply, await askInStream()] : [reply]) {
        if ([open, one].every(succeeded) && !isFound(one)) {
          const send = (text: string) => oneShot.send(oneShot.body(text))
          await assumeRecall(scenario, one, send)
        }
        const isAnswered = () => {
          expectResponse(open, 'searcher without kb_id')
          expectAccepted(one, 'searcher with kb_id')
          const what = 'the response contains the fact of the knowledge base'
          expect(isFound(one), what).toBe(true)
        }
        claim('V3-ONE-07', isAnswered, succeeded(open) ? one : open)
      }

      // Without searcher, a server need not check the type of kb_id.
      if (!succeeded(reply)) return
      const chat = await v3.createChat()
      await expectRejected(claim, () => v3.ping(chat), {
        requirement: 'V3-ONE-12',
        control: reply,
        what: 'kb_id: an object',
        send: () => oneShot.send(body({ kb_id: { id: knowledge.baseId } }), { role: 'negative' }),
      })
    },
  )
})
