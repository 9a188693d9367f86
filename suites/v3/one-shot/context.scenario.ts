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
  expectResponse,
  fill,
  inputText,
  requireProfile,
  sendAtOnce,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { answersWith } from '../../support/history.ts'
import { assumeGivesBack, buildRecall } from '../../support/recall.ts'

/** Section 4.3: context of a one-shot in addition to its input: runs, an assistant, a knowledge base. */
describe('v3: context of a one-shot', () => {
  test(
    'a one-shot SHOULD NOT know what another request said',
    covers(['V3-ONE-11'], { requests: 3, generations: 3 }, 2),
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
      const texts = [...replies, later].map((reply) => answerText(reply) ?? '')
      const foreign = facts.filter((fact, at) =>
        texts.some((text, of) => of !== at && text.includes(fact)),
      )
      const isAble = foreign.length > 0 || facts.every((fact, at) => texts[at]?.includes(fact))
      assume(isAble, 'the model does not give back a fact from the same message', ...replies)
      const what = 'facts in the answers to other requests, at the same time or later'
      claim('V3-ONE-11', () => expect(foreign, what).toEqual([]), later, ...replies)
    },
  )

  test(
    'a one-shot MUST know its runs',
    covers(['V3-ONE-05'], { requests: 5, generations: 3 }, 12),
    async ({ oneShot, claim, profile, session }) => {
      const nonce = session.nonce()
      const { tell, ask } = buildRecall(profile, nonce)
      const isGuess = profile.requests.runs === undefined
      const guess = guessedRun(session.uuid(), tell)
      const runs = fill(profile.requests.runs, { nonce }) ?? [guess]
      const knows = (reply: Exchange) => answersWith(reply, nonce)
      const first = await oneShot.send(oneShot.body(ask, { runs }))
      if (!succeeded(first) && isGuess) {
        const status = `one-shot with our guess at runs: ${first.response?.status}`
        session.observe('OPEN-22', status, [first])
        session.markUndecided('unproven', ['V3-ONE-05'], guessRejected)
        return
      }
      const taken = () => expectAccepted(first, 'a one-shot with the runs of the profile')
      if (!claim('V3-ONE-05', taken, first)) return
      const again = { role: 'act' } as const
      const reply = knows(first)
        ? first
        : await askUntil(knows, 2, () => oneShot.sendOk(oneShot.body(ask, { runs }), again))
      if (!knows(reply) && isGuess) {
        session.markUndecided('inconclusive', ['V3-ONE-05'], guessIgnored)
        return
      }
      const give = (text: string) => oneShot.sendOk(oneShot.body(text))
      if (!knows(reply)) await assumeGivesBack(nonce, [tell, ask], give)
      const isKnown = () =>
        expect(knows(reply), 'the answer contains the fact of the run').toBe(true)
      if (!claim('V3-ONE-05', isKnown, reply)) return
      // The server understands the shape, so a fact between other runs must be known too.
      const [before, after] = [session.uuid(), session.uuid()].map((id) => guessedRun(id, 'OK.'))
      const several = oneShot.body(ask, {
        runs: isGuess ? [before, guess, after] : runs,
        stream: true,
      })
      const streamed = await askUntil(knows, 3, () => oneShot.sendOk(several, again))
      if (!knows(streamed)) await assumeGivesBack(nonce, ['OK.', tell, 'OK.', ask], give)
      const what = 'the streamed answer contains the fact of one of several runs'
      claim('V3-ONE-05', () => expect(knows(streamed), what).toBe(true), streamed, reply)
    },
  )

  test(
    'a one-shot MUST accept null as assistant_id',
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
    'searcher MUST answer from a knowledge base',
    covers(['V3-ONE-07', 'V3-ONE-12'], { requests: 8, generations: 2, chats: 1 }, 2),
    async ({ oneShot, v3, claim, expectRejected, profile }) => {
      const { knowledge, capabilities } = profile
      if (!capabilities.knowledge) return
      requireProfile(knowledge, 'knowledge')
      const body = (more: Record<string, unknown>) =>
        oneShot.body(knowledge.question, { assistant_id: 'searcher', ...more })
      const open = await oneShot.send(body({}))
      claim('V3-ONE-07', () => expectResponse(open, 'searcher without kb_id'), open)
      const isFound = (reply: Exchange) => contains(answerJson(reply), knowledge.expect)
      const reply = await askUntil(
        (one) => !succeeded(one) || isFound(one),
        3,
        () => oneShot.send(body({ kb_id: knowledge.baseId })),
      )
      claim(
        'V3-ONE-07',
        () => {
          expectAccepted(reply, 'searcher with kb_id')
          const what = 'the response contains the fact of the knowledge base'
          expect(isFound(reply), what).toBe(true)
        },
        reply,
      )

      // Without searcher, a server need not check the type of kb_id.
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

const guessRejected =
  'our guess at the shape of runs was rejected: set requests.runs in the target profile'
const guessIgnored =
  'our guess at the shape of runs was accepted but not understood: set requests.runs in the target profile'

/** Asks until an answer is `enough`, at most `times` times; returns the last answer. */
async function askUntil(
  enough: (reply: Exchange) => boolean,
  times: number,
  ask: () => Promise<Exchange>,
): Promise<Exchange> {
  let reply = await ask()
  for (let tries = 1; tries < times && !enough(reply); tries += 1) reply = await ask()
  return reply
}

/** A guessed run with fields such as id and output; the statement is in both halves. */
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
