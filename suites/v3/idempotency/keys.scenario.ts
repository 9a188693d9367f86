import {
  assume,
  covers,
  describe,
  type Exchange,
  everyItemShown,
  expect,
  expectAccepted,
  inputRows,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { withReasoning } from '../../support/test-data.ts'

/** Section 4.3: an Idempotency-Key may be any string, and any difference makes it another key. */
describe('v3: idempotency keys', () => {
  test(
    'any string MUST be a valid key, and another key MUST add another step',
    covers(['V3-IDEM-02', 'V3-IDEM-06', 'V3-IDEM-07'], {
      requests: 18,
      generations: 5,
      chats: 1,
    }),
    async ({ v3, claim, session, profile, prompts }) => {
      const chat = await v3.createChat()
      const nonce = session.nonce()
      const turn = v3.generateBody(chat, prompts.brief(nonce), withReasoning(profile))
      const sent: Exchange[] = []
      const taken = new Map<string, Exchange>()
      const send = async (key: string) => {
        const reply = await v3.generate(turn, { key })
        sent.push(reply)
        if (succeeded(reply)) taken.set(key, reply)
        return reply
      }
      const expectValid = async (key: string) => {
        const reply = await send(key)
        claim('V3-IDEM-06', () => expectAccepted(reply, `a generation with the key ${key}`), reply)
      }
      // All other generations use UUIDs as keys. These have a beginning and an end in common.
      const [first, last] = [session.uuid().slice(0, 8), session.uuid().slice(-8)]
      for (const middle of ['a /=";,1', 'A /=";,1', 'a /=";:1'])
        await expectValid(`${first}${middle}${last}`)
      // Whether keys of that length are accepted is open, but if one is, a similar one must be too.
      const long = digitsOf(session.uuid() + session.uuid())
      const isLongTaken = succeeded(await send(`${long}1`))
      const neighbor = isLongTaken ? await send(`${long}2`) : undefined
      if (!isLongTaken)
        await expectValid(`${session.nonce()} / ${session.nonce()}: a=b; "${session.nonce()}"`)
      for (let tries = sent.filter(succeeded).length; tries < 2; tries += 1) {
        await send(session.uuid())
      }
      const count = sent.filter(succeeded).length
      const hasFailed = sent.some(({ response }) => (response?.status ?? 0) >= 500)
      assume(count > 0 && !hasFailed, 'no key is accepted, or a further step failed', ...sent)
      const { rows, pages } = await v3.waitForHistory(
        chat,
        (history) => inputRows(history, nonce).length >= count,
      )
      const steps = inputRows(rows, nonce).length
      const isShown = steps >= count || (steps > 0 && everyItemShown(rows))
      assume(isShown, 'the history does not show each step', ...pages)
      const hasOneEach = () => {
        if (neighbor !== undefined) expectAccepted(neighbor, 'the same request with another key')
        expect(count, 'accepted requests with keys of their own').toBeGreaterThan(1)
        expect(steps, 'steps of these keys').toBeGreaterThanOrEqual(count)
      }
      claim('V3-IDEM-07', hasOneEach, ...sent, ...pages)
      const before = await v3.historyAfterPause(chat)
      for (const [key, { id }] of taken) await v3.generate(turn, { key, repeatOf: id })
      const after = await v3.historyAfterPause(chat)
      const stepsAfter = expect(inputRows(after.rows, nonce).length, 'steps after a repeat of each')
      const evidence = [...taken.values(), ...after.pages]
      claim('V3-IDEM-02', () => stepsAfter.toBe(inputRows(before.rows, nonce).length), ...evidence)
    },
  )
})

function digitsOf(text: string): string {
  return [...text].map((one) => (one.codePointAt(0) ?? 0) % 10).join('')
}
