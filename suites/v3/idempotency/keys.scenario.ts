import {
  assume,
  covers,
  describe,
  type Exchange,
  expect,
  expectAccepted,
  inputRows,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { withReasoning } from '../../support/test-data.ts'

/** Section 4.3: an Idempotency-Key may be any string, and is another if it differs at all. */
describe('v3: idempotency keys', () => {
  test(
    'any string MUST be a valid key, and another key MUST add another step',
    covers(['V3-IDEM-06', 'V3-IDEM-07'], { requests: 8, generations: 5, chats: 1 }),
    async ({ v3, claim, session, profile, prompts }) => {
      const chat = await v3.createChat()
      const nonce = session.nonce()
      const turn = v3.generateBody(chat, prompts.brief(nonce), withReasoning(profile))
      const sent: Exchange[] = []
      const send = async (key: string) => {
        const reply = await v3.generate(turn, { key })
        sent.push(reply)
        return reply
      }
      // UUIDs are the keys of all other generations.
      const oddKey = `${session.nonce()} / ${session.nonce()}: a=b; "${session.nonce()}"`
      const digits = digitsOf(session.uuid().slice(0, 20))
      for (const key of [`${digits}1`, `${digits}2`, oddKey]) {
        const reply = await send(key)
        claim('V3-IDEM-06', () => expectAccepted(reply, `a generation with the key ${key}`), reply)
      }
      // Whether keys of that length are taken at all is open; if one is, so is its neighbor.
      const long = `${session.uuid()}-${session.uuid()}-`
      const lower = await send(`${long}a`)
      const upper = succeeded(lower) ? await send(`${long}A`) : undefined
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
      assume(steps > 0, 'the history does not show the step', ...pages)
      const hasOneEach = () => {
        if (upper !== undefined) expectAccepted(upper, 'the same request with another key')
        expect(count, 'accepted requests with keys of their own').toBeGreaterThan(1)
        expect(steps, 'steps of these keys').toBeGreaterThanOrEqual(count)
      }
      claim('V3-IDEM-07', hasOneEach, ...sent, ...pages)
    },
  )
})

function digitsOf(text: string): string {
  return [...text].map((one) => (one.codePointAt(0) ?? 0) % 10).join('')
}
