import {
  covers,
  describe,
  type Exchange,
  expect,
  expectAccepted,
  given,
  inputRows,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { leavesNoStep } from '../../support/refused-steps.ts'

/** Section 4.3: an Idempotency-Key is wanted, may be any string, and is another if it differs at all. */
describe('v3: idempotency keys', () => {
  test(
    'a generation without Idempotency-Key is refused',
    covers(['V3-IDEM-01', 'V3-GEN-13', 'V3-GEN-14'], { requests: 7, generations: 1, chats: 1 }),
    async ({ v3, claim, refuses, session }) => {
      const chat = await v3.createChat()
      const nonce = session.nonce()
      const twin = await v3.generate(v3.turn(chat, 'Name a colour.'), { role: 'twin' })
      const refused = await refuses({
        row: 'V3-IDEM-01',
        no5xx: 'V3-GEN-13',
        twin,
        what: 'no Idempotency-Key',
        send: () =>
          v3.generate(v3.turn(chat, `Name a colour for ${nonce}.`), {
            key: null,
            role: 'negative',
          }),
        alive: () => v3.alive(chat),
      })
      session.observe('OPEN-20', String(refused.response?.status), [refused])
      await leavesNoStep({ v3, claim }, chat, nonce, refused)
    },
  )

  test(
    'any string serves as key, and another key makes another step',
    covers(['V3-IDEM-06', 'V3-IDEM-07'], { requests: 10, generations: 4, chats: 1 }),
    async ({ v3, claim, session }) => {
      const chat = await v3.createChat()
      const nonce = session.nonce()
      const turn = v3.turn(chat, `Name a colour for ${nonce}.`)
      const long = `${session.uuid()}-${session.uuid()}-`
      const sent: Exchange[] = []
      const send = async (key: string) => {
        const reply = await v3.generate(turn, { key })
        sent.push(reply)
        return reply
      }
      // UUIDs are the keys of all other generations.
      for (const key of [session.nonce(), `turn 7 / ${session.nonce()}: retry=no; "quoted"`]) {
        const reply = await send(key)
        claim('V3-IDEM-06', () => expectAccepted(reply, `a generation with the key ${key}`), reply)
      }
      // Whether keys of that length are taken at all is open; where one is, so is its neighbour.
      const lower = await send(`${long}a`)
      const upper = succeeded(lower) ? await send(`${long}A`) : undefined
      for (let tries = sent.filter(succeeded).length; tries < 2; tries += 1) {
        await send(session.uuid())
      }
      const accepted = sent.filter(succeeded)
      given(accepted.length > 0, 'no key is accepted', ...sent)
      given(
        sent.every(({ response }) => (response?.status ?? 0) < 500),
        'a further step failed',
        ...sent,
      )
      const { rows, pages } = await v3.settled(
        chat,
        (seen) => inputRows(seen, nonce).length >= accepted.length,
      )
      given(inputRows(rows, nonce).length > 0, 'the history does not show the step', ...pages)
      claim(
        'V3-IDEM-07',
        () => {
          if (upper !== undefined) expectAccepted(upper, 'the same request with another key')
          expect(accepted.length, 'accepted requests with keys of their own').toBeGreaterThan(1)
          // What a refused request leaves behind is for other rows.
          expect(inputRows(rows, nonce).length, 'steps of these keys').toBeGreaterThanOrEqual(
            accepted.length,
          )
        },
        ...sent,
        ...pages,
      )
    },
  )
})
