import {
  acceptsKey,
  answerJson,
  assume,
  covers,
  describe,
  type Exchange,
  expect,
  holdsList,
  inputRows,
  isResponse,
  requireProfile,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { allBadCredentials, badCredentials } from '../../support/credentials.ts'

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
  const noServerError = 'V3-AUTH-06'

  test(
    'POST /chat requires a valid token',
    covers(rows, { requests: 17, chats: 1 }),
    async ({ v3, claim, expectRejected, session, keys }) => {
      const control = await v3.postChat(session.name(), {}, { role: 'control' })
      const id = v3.newChatId(control)
      acceptsKey(claim, 'V3-AUTH-05', control, id !== undefined)
      assume(id, 'the answer to POST /chat has no chat id', control)
      v3.deleteOnCleanup(id)

      requireProfile(keys.v3, 'apiKey')
      for (const { row, what, authorization } of badCredentials('V3', keys.v3)) {
        const send = () => v3.postChat(session.name(), {}, { role: 'negative', authorization })
        const ping = () => v3.history(id, {}, { role: 'liveness' })
        const refused = await expectRejected({ row, noServerError, control, what, send, ping })
        const made = v3.newChatId(refused)
        if (made) v3.deleteOnCleanup(made)
        session.observe('OPEN-16', `POST /chat with ${what}: ${refused.response?.status}`, [
          refused,
        ])
      }
    },
  )

  test(
    'GET /message requires a valid token',
    covers(rows, { requests: 21, chats: 1 }),
    async ({ v3, claim, expectRejected, session, keys }) => {
      const chat = await v3.createChat()
      const control = await v3.history(chat, {}, { role: 'control' })
      acceptsKey(claim, 'V3-AUTH-05', control, succeeded(control) && holdsList(answerJson(control)))

      requireProfile(keys.v3, 'apiKey')
      for (const { row, what, authorization } of allBadCredentials('V3', keys.v3)) {
        const send = () => v3.history(chat, {}, { role: 'negative', authorization })
        const refused = await expectRejected({
          row,
          noServerError,
          control,
          what,
          send,
          ping: () => v3.ping(chat),
        })
        session.observe('OPEN-16', `GET /message with ${what}: ${refused.response?.status}`, [
          refused,
        ])
      }
    },
  )

  test(
    'POST /message/generate requires a valid token and stores nothing without one',
    covers(rows, { requests: 40, generations: 1, chats: 1 }),
    async ({ v3, claim, expectRejected, session, keys, prompts }) => {
      const chat = await v3.createChat()
      const control = await v3.generate(v3.generateBody(chat, prompts.brief()), {
        role: 'control',
      })
      acceptsKey(claim, 'V3-AUTH-05', control, isResponse(control))

      requireProfile(keys.v3, 'apiKey')
      const attempts = badCredentials('V3', keys.v3).map((attempt) => ({
        ...attempt,
        nonce: session.nonce(),
        refusals: [] as Exchange[],
      }))
      for (const { row, what, authorization, nonce, refusals } of attempts) {
        for (const stream of [false, true]) {
          const turn = v3.generateBody(chat, prompts.brief(nonce), { stream })
          const send = () => v3.generate(turn, { role: 'negative', authorization })
          const ping = () => v3.ping(chat)
          const refused = await expectRejected({ row, noServerError, control, what, send, ping })
          session.observe(
            'OPEN-16',
            `POST /message/generate with ${what}: ${refused.response?.status}`,
            [refused],
          )
          refusals.push(refused)
        }
      }
      const { rows: stored, pages } = await v3.historyAfterPause(chat)
      for (const { row, what, nonce, refusals } of attempts) {
        claim(
          row,
          () =>
            expect(inputRows(stored, nonce), `steps stored by a request with ${what}`).toEqual([]),
          ...refusals,
          ...pages,
        )
      }
    },
  )
})
