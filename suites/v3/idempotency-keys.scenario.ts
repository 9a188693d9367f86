import {
  covers,
  declined,
  describe,
  expect,
  expectAccepted,
  given,
  inputRows,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'

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
      // What was let through has left a step with every right.
      if (!declined(refused)) return
      const { rows, pages } = await v3.walk(chat)
      claim(
        'V3-GEN-14',
        () => expect(inputRows(rows, nonce), 'steps of the refused request').toEqual([]),
        refused,
        ...pages,
      )
    },
  )

  test(
    'any string serves as key',
    covers(['V3-IDEM-06'], { requests: 5, generations: 3, chats: 1 }),
    async ({ v3, claim, session }) => {
      const chat = await v3.createChat()
      const keys = [
        session.uuid(),
        session.nonce(),
        `turn 7 / ${session.nonce()}: retry=no; "quoted"`,
      ]
      for (const key of keys) {
        const reply = await v3.generate(v3.turn(chat, 'Name a colour.'), { key })
        claim('V3-IDEM-06', () => expectAccepted(reply, `a generation with the key ${key}`), reply)
      }
    },
  )

  test(
    'another key makes another step',
    covers(['V3-IDEM-07'], { requests: 9, generations: 3, chats: 1 }),
    async ({ v3, claim, session }) => {
      const chat = await v3.createChat()
      const turnOf = (nonce: string) => v3.turn(chat, `Name a colour for ${nonce}.`)
      const plain = session.uuid()
      const long = `${session.uuid()}-${session.uuid()}-`
      let nonce = session.nonce()
      let others = [`${long}A`, plain]
      let first = await v3.generate(turnOf(nonce), { key: `${long}a` })
      if (!succeeded(first)) {
        // Which keys are taken at all, and what a refusal leaves behind, is for other rows.
        nonce = session.nonce()
        others = [plain]
        first = await v3.say(turnOf(nonce))
      }
      const sent = [first]
      for (const key of others) {
        const next = await v3.generate(turnOf(nonce), { key })
        given((next.response?.status ?? 0) < 500, 'a further step failed', next)
        sent.push(next)
      }
      const { rows, pages } = await v3.settled(
        chat,
        (seen) => inputRows(seen, nonce).length >= sent.length,
      )
      given(inputRows(rows, nonce).length > 0, 'the history does not show the step', ...pages)
      claim(
        'V3-IDEM-07',
        () => {
          for (const one of sent) expectAccepted(one, 'the same request with another key')
          expect(inputRows(rows, nonce), `steps of ${sent.length} keys`).toHaveLength(sent.length)
        },
        ...sent,
        ...pages,
      )
    },
  )
})
