import {
  acceptsKey,
  bodyJson,
  covers,
  declared,
  describe,
  expect,
  holdsList,
  inputRows,
  isResponse,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { badCredentials } from '../credentials.ts'

/** Section 5, rules 1 and 3: no v3 request succeeds without the right token; the status is open. */
describe('v3: authentication', () => {
  const rows = [
    'V3-AUTH-01',
    'V3-AUTH-02',
    'V3-AUTH-03',
    'V3-AUTH-04',
    'V3-AUTH-05',
    'V3-AUTH-06',
  ] as const
  const no5xx = 'V3-AUTH-06'

  test(
    'POST /chat wants the right token',
    covers(rows, { requests: 17, chats: 1 }),
    async ({ v3, claim, refuses, session, keys }) => {
      const chat = await v3.createChat({ role: 'twin' })
      acceptsKey(claim, 'V3-AUTH-05', chat.created, true)

      declared(keys.v3, 'apiKey')
      for (const { row, what, authorization } of badCredentials('V3', keys.v3)) {
        const send = () => v3.postChat(session.name(), {}, { role: 'negative', authorization })
        const alive = () => v3.alive(chat)
        const refused = await refuses({ row, no5xx, twin: chat.created, what, send, alive })
        const made = v3.idOfNewChat(refused)
        if (made) v3.deleteAfterwards(made)
        session.observe('OPEN-16', `POST /chat with ${what}: ${refused.response?.status}`, [
          refused,
        ])
      }
    },
  )

  test(
    'GET /message wants the right token',
    covers(rows, { requests: 17, chats: 1 }),
    async ({ v3, claim, refuses, session, keys }) => {
      const chat = await v3.createChat()
      const twin = await v3.history(chat, {}, { role: 'twin' })
      acceptsKey(claim, 'V3-AUTH-05', twin, succeeded(twin) && holdsList(bodyJson(twin)))

      declared(keys.v3, 'apiKey')
      for (const { row, what, authorization } of badCredentials('V3', keys.v3)) {
        const send = () => v3.history(chat, {}, { role: 'negative', authorization })
        const refused = await refuses({ row, no5xx, twin, what, send, alive: () => v3.alive(chat) })
        session.observe('OPEN-16', `GET /message with ${what}: ${refused.response?.status}`, [
          refused,
        ])
      }
    },
  )

  test(
    'POST /message/generate wants the right token, and stores nothing without it',
    covers(rows, { requests: 26, generations: 1, chats: 1 }),
    async ({ v3, claim, refuses, session, keys }) => {
      const chat = await v3.createChat()
      const twin = await v3.generate(v3.turn(chat, 'Name a colour.'), { role: 'twin' })
      acceptsKey(claim, 'V3-AUTH-05', twin, isResponse(twin))

      declared(keys.v3, 'apiKey')
      for (const { row, what, authorization } of badCredentials('V3', keys.v3)) {
        const nonce = session.nonce()
        const turn = v3.turn(chat, `Name a colour for ${nonce}.`)
        const send = () => v3.generate(turn, { role: 'negative', authorization })
        const refused = await refuses({ row, no5xx, twin, what, send, alive: () => v3.alive(chat) })
        const { rows: stored, pages } = await v3.walk(chat)
        claim(
          row,
          () =>
            expect(inputRows(stored, nonce), `steps stored by a request with ${what}`).toEqual([]),
          refused,
          ...pages,
        )
        session.observe(
          'OPEN-16',
          `POST /message/generate with ${what}: ${refused.response?.status}`,
          [refused],
        )
      }
    },
  )
})
