import {
  answerJson,
  answerText,
  assume,
  contains,
  covers,
  describe,
  expect,
  expectAccepted,
  expectResponse,
  fill,
  inputText,
  requireProfile,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { answersWith } from '../../support/history.ts'
import { assumeGivesBack, buildRecall } from '../../support/recall.ts'

/** Section 4.3: what a one-shot is told beside its input: runs, an assistant, a knowledge base. */
describe('v3: context of a one-shot', () => {
  test(
    'runs is the only context of a one-shot',
    covers(['V3-ONE-05', 'V3-ONE-11'], { requests: 7, generations: 4 }, 12),
    async ({ oneShot, claim, profile, session }) => {
      const nonce = session.nonce()
      const { tell, ask } = buildRecall(profile, nonce)
      const able = await oneShot.sendOk(oneShot.body(`${tell} ${ask}`))
      assume(
        answerText(able)?.includes(nonce),
        'the model does not give back a fact from the same message',
        able,
      )

      const otherReply = await oneShot.sendOk(oneShot.body(ask))
      claim(
        'V3-ONE-11',
        () => expect(answerText(otherReply), 'the answer to another request').not.toContain(nonce),
        otherReply,
        able,
      )

      const runs = fill(profile.requests.runs, { nonce }) ?? [guessedRun(session.uuid(), tell)]
      let reply = await oneShot.send(oneShot.body(ask, { runs }))
      if (!succeeded(reply) && profile.requests.runs === undefined) {
        session.observe('OPEN-22', `one-shot with our guess at runs: ${reply.response?.status}`, [
          reply,
        ])
        session.markUndecided(
          'unproven',
          ['V3-ONE-05'],
          'our guess at the shape of runs was rejected: set requests.runs in the target profile',
        )
        return
      }
      const taken = () => expectAccepted(reply, 'a one-shot with the runs of the profile')
      if (!claim('V3-ONE-05', taken, reply)) return
      for (let tries = 1; tries < 3 && !answerText(reply)?.includes(nonce); tries += 1) {
        reply = await oneShot.sendOk(oneShot.body(ask, { runs }), { role: 'act' })
      }
      const isRemembered = answerText(reply)?.includes(nonce)
      if (!isRemembered && profile.requests.runs === undefined) {
        session.markUndecided(
          'inconclusive',
          ['V3-ONE-05'],
          'our guess at the shape of runs was accepted but not understood: set requests.runs in the target profile',
        )
        return
      }
      const send = (text: string) => oneShot.sendOk(oneShot.body(text))
      if (!isRemembered) await assumeGivesBack(nonce, [tell, ask], send)
      const isKnown = () =>
        expect(isRemembered, 'the answer contains the fact of the run').toBe(true)
      if (!claim('V3-ONE-05', isKnown, reply)) return
      // The shape is understood: a fact between other runs is known as well.
      const [before, after] = [session.uuid(), session.uuid()].map((id) => guessedRun(id, 'OK.'))
      const several =
        profile.requests.runs === undefined
          ? [before, guessedRun(session.uuid(), tell), after]
          : runs
      const inStream = oneShot.body(ask, { runs: several, stream: true })
      let streamed = await oneShot.sendOk(inStream, { role: 'act' })
      for (let tries = 1; tries < 3 && !answersWith(streamed, nonce); tries += 1) {
        streamed = await oneShot.sendOk(inStream, { role: 'act' })
      }
      if (!answersWith(streamed, nonce)) {
        await assumeGivesBack(nonce, ['OK.', tell, 'OK.', ask], send)
      }
      claim(
        'V3-ONE-05',
        () =>
          expect(
            answersWith(streamed, nonce),
            'the streamed answer contains the fact of one of several runs',
          ).toBe(true),
        streamed,
        reply,
      )
    },
  )

  test(
    'assistant_id may be null',
    covers(['V3-ONE-06'], { requests: 2, generations: 1 }, 1),
    async ({ oneShot, claim, profile, session, prompts }) => {
      const assistant = profile.requests.assistant ?? {
        instructions: prompts.instruction(prompts.instruction('You are brief.')),
      }
      const reply = await oneShot.send(
        oneShot.body(prompts.brief(), { assistant_id: null, assistant }),
      )
      if (!succeeded(reply) && profile.requests.assistant === undefined) {
        session.observe('OPEN-11', `our guess at assistant: ${reply.response?.status}`, [reply])
        const plain = await oneShot.send(oneShot.body(prompts.brief(), { assistant_id: null }))
        assume(
          succeeded(plain),
          'the structure of assistant is open: set requests.assistant in the target profile',
          plain,
        )
        claim('V3-ONE-06', () => expectResponse(plain, 'assistant_id: null'), plain)
        return
      }
      const members = Object.keys(assistant).join(', ')
      session.observe('OPEN-11', `${members}: ${reply.response?.status}`, [reply])
      claim('V3-ONE-06', () => expectResponse(reply, 'assistant_id: null with an assistant'), reply)
    },
  )

  test(
    'searcher answers from a knowledge base',
    covers(['V3-ONE-07', 'V3-ONE-12'], { requests: 8, generations: 2, chats: 1 }, 2),
    async ({ oneShot, v3, claim, expectRejected, profile }) => {
      const { knowledge, capabilities } = profile
      if (!capabilities.knowledge) return
      requireProfile(knowledge, 'knowledge')
      const body = (more: Record<string, unknown>) =>
        oneShot.body(knowledge.question, { assistant_id: 'searcher', ...more })
      const open = await oneShot.send(body({}))
      claim('V3-ONE-07', () => expectResponse(open, 'searcher without kb_id'), open)
      let reply = await oneShot.send(body({ kb_id: knowledge.baseId }))
      for (
        let tries = 1;
        tries < 3 && succeeded(reply) && !contains(answerJson(reply), knowledge.expect);
        tries += 1
      ) {
        reply = await oneShot.send(body({ kb_id: knowledge.baseId }))
      }
      claim(
        'V3-ONE-07',
        () => {
          expectAccepted(reply, 'searcher with kb_id')
          expect(
            contains(answerJson(reply), knowledge.expect),
            'the response contains the fact of the knowledge base',
          ).toBe(true)
        },
        reply,
      )

      // Without searcher, nobody need look at the type of kb_id.
      if (!succeeded(reply)) return
      const chat = await v3.createChat()
      await expectRejected({
        requirement: 'V3-ONE-12',
        control: reply,
        what: 'kb_id: an object',
        send: () => oneShot.send(body({ kb_id: { id: knowledge.baseId } }), { role: 'negative' }),
        ping: () => v3.ping(chat),
      })
    },
  )
})

/** Objects with fields such as id and output; the told sentence stands in both halves of the run. */
function guessedRun(id: string, tell: string) {
  return {
    id,
    input: [inputText(tell)],
    output: [
      {
        type: 'message',
        id: `msg_${id}`,
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: `Noted: ${tell}`, annotations: [] }],
      },
    ],
  }
}
