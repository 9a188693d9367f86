import {
  answerText,
  covers,
  describe,
  expect,
  finalResponse,
  given,
  inputText,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { recallOf } from '../recall.ts'

/** Section 2.6: a chat is a chain of runs. A fact is planted; the wording of answers is not judged. */
describe('v3: context', () => {
  test(
    'a fact from an earlier item or run is known, one from another chat is not',
    covers(['V3-GEN-16', 'V3-CTX-01', 'V3-CTX-02'], { requests: 16, generations: 6, chats: 4 }, 4),
    async ({ v3, claim, profile, session }) => {
      const nonce = session.nonce()
      const { tell, ask } = recallOf(profile, nonce)
      const able = await v3.say(v3.turn(await v3.createChat(), `${tell} ${ask}`))
      given(
        answerText(able)?.includes(nonce),
        'the model does not give back a fact from the same message',
        able,
      )

      const input = [inputText(tell), inputText(ask)]
      let counted = await v3.say(v3.turn(await v3.createChat(), input))
      for (let tries = 1; tries < 3 && !answerText(counted)?.includes(nonce); tries += 1) {
        counted = await v3.say(v3.turn(await v3.createChat(), input))
      }
      claim(
        'V3-GEN-16',
        () => expect(answerText(counted), 'the answer to two items').toContain(nonce),
        counted,
      )

      const chat = await v3.createChat()
      const told = await v3.say(v3.turn(chat, tell))
      const parent = finalResponse(told)?.['id']
      let reply = told
      let known = false
      for (let tries = 0; tries < 3 && !known; tries += 1) {
        reply = await v3.say(
          v3.turn(chat, ask, typeof parent === 'string' ? { parent_id: parent } : {}),
        )
        known = answerText(reply)?.includes(nonce) ?? false
      }
      claim(
        'V3-CTX-01',
        () => expect(known, 'the fact of the earlier run is known').toBe(true),
        told,
        reply,
      )

      const fresh = await v3.say(v3.turn(await v3.createChat(), ask))
      claim(
        'V3-CTX-02',
        () => expect(answerText(fresh), 'the answer in a fresh chat').not.toContain(nonce),
        told,
        fresh,
      )

      const unchained = await v3.say(v3.turn(chat, ask))
      const remembers = answerText(unchained)?.includes(nonce) ?? false
      session.observe('OPEN-36', remembers ? 'yes' : 'no', [unchained])
    },
  )
})
