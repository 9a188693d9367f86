import {
  answerText,
  assume,
  bodyJson,
  covers,
  describe,
  expect,
  expectCompletion,
  isObject,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { assumeGivesBack, buildRecall } from '../support/recall.ts'

/** Sections 2.2 and 4.1: POST /chat/completions, answered without a stream. */
describe('compatible surface: chat completions', () => {
  test(
    'a question gets a completion',
    covers(
      [
        'OAI-CHAT-01',
        'OAI-CHAT-02',
        'OAI-CHAT-03',
        'OAI-CHAT-04',
        'OAI-CHAT-05',
        'OAI-CHAT-06',
        'OAI-CHAT-07',
        'OAI-CHAT-08',
        'OAI-CHAT-09',
        'OAI-CHAT-10',
        'OAI-CHAT-11',
        'OAI-CHAT-15',
      ],
      { requests: 1, generations: 1 },
    ),
    async ({ openai, claim, prompts }) => {
      const answer = await openai.chat(openai.chatBody(prompts.reasoned()))
      claim('OAI-CHAT-01', () => expectCompletion(answer))
    },
  )

  test(
    'a fact from an earlier message is known, one from another request is not',
    covers(['OAI-CHAT-13', 'OAI-CHAT-14', 'OAI-CHAT-16'], { requests: 5, generations: 3 }, 6),
    async ({ openai, claim, profile, session }) => {
      const nonce = session.nonce()
      const { tell, ask } = buildRecall(profile, nonce)
      const able = await openai.chatOk(openai.chatBody(`${tell} ${ask}`))
      const otherReply = await openai.chat(openai.chatBody(ask))
      const [a, b] = [able.exchange, otherReply].map((exchange) => {
        const completion = bodyJson(exchange)
        return isObject(completion) ? completion['id'] : undefined
      })
      if (a !== undefined && succeeded(otherReply)) {
        claim(
          'OAI-CHAT-14',
          () => expect(b, 'the id of another completion').not.toBe(a),
          otherReply,
          able.exchange,
        )
      }
      assume(able.text.includes(nonce), 'the model does not give back a fact from the same message')

      const messages = [
        { role: 'user', content: tell },
        { role: 'assistant', content: 'OK.' },
        { role: 'user', content: ask },
      ]
      let isRemembered = false
      for (let tries = 0; tries < 3 && !isRemembered; tries += 1) {
        isRemembered = (
          await openai.chatOk(openai.chatBody('', { messages }), { role: 'act' })
        ).text.includes(nonce)
      }
      if (!isRemembered) {
        const send = async (text: string) => (await openai.chatOk(openai.chatBody(text))).exchange
        await assumeGivesBack(nonce, [tell, 'OK.', ask], send)
      }
      claim('OAI-CHAT-13', () =>
        expect(isRemembered, 'the answer contains the fact of the first message').toBe(true),
      )

      assume(succeeded(otherReply), 'the question alone was refused', otherReply)
      const text = answerText(otherReply) ?? ''
      claim(
        'OAI-CHAT-16',
        () => expect(text, 'the answer to another request').not.toContain(nonce),
        otherReply,
        able.exchange,
      )
    },
  )
})
