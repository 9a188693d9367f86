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
import {
  badCredentials,
  expectKeyNeeded,
  type RefusedCredential,
} from '../../support/credentials.ts'

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

  test(
    'POST /chat requires a valid token',
    covers(rows, { requests: 17, chats: 1 }),
    async ({ v3, claim, session, keys }) => {
      const control = await v3.postChat(session.name(), {}, { role: 'control' })
      const id = v3.newChatId(control)
      acceptsKey(claim, 'V3-AUTH-05', control, id !== undefined)
      assume(id, 'the answer to POST /chat has no chat id', control)
      v3.deleteOnCleanup(id)

      requireProfile(keys.v3, 'apiKey')
      const sent = await expectKeyNeeded(
        { claim, session },
        {
          control,
          credentials: badCredentials('V3', keys.v3),
          send: (options) => v3.postChat(session.name(), {}, options),
          ping: () => v3.history(id, {}, { role: 'liveness' }),
        },
      )
      for (const { refused } of sent) {
        const made = v3.newChatId(refused)
        if (made) v3.deleteOnCleanup(made)
      }
    },
  )

  test(
    'GET /message requires a valid token',
    covers(rows, { requests: 21, chats: 1 }),
    async ({ v3, claim, session, keys }) => {
      const chat = await v3.createChat()
      const control = await v3.history(chat, {}, { role: 'control' })
      acceptsKey(claim, 'V3-AUTH-05', control, succeeded(control) && holdsList(answerJson(control)))

      requireProfile(keys.v3, 'apiKey')
      await expectKeyNeeded(
        { claim, session },
        {
          control,
          credentials: badCredentials('V3', keys.v3),
          send: (options) => v3.history(chat, {}, options),
          ping: () => v3.ping(chat),
        },
      )
    },
  )

  test(
    'POST /message/generate requires a valid token and stores nothing without one',
    covers(rows, { requests: 40, generations: 1, chats: 1 }),
    async ({ v3, claim, session, keys, prompts }) => {
      const chat = await v3.createChat()
      const control = await v3.generate(v3.generateBody(chat, prompts.brief()), {
        role: 'control',
      })
      acceptsKey(claim, 'V3-AUTH-05', control, isResponse(control))

      requireProfile(keys.v3, 'apiKey')
      const sent: RefusedCredential[] = []
      const nonces = new Map<Exchange, string>()
      for (const stream of [false, true]) {
        const refusals = await expectKeyNeeded(
          { claim, session },
          {
            control,
            credentials: badCredentials('V3', keys.v3),
            async send(options) {
              const nonce = session.nonce()
              const turn = v3.generateBody(chat, prompts.brief(nonce), { stream })
              const refused = await v3.generate(turn, options)
              nonces.set(refused, nonce)
              return refused
            },
            ping: () => v3.ping(chat),
          },
        )
        sent.push(...refusals)
      }
      const { rows: stored, pages } = await v3.historyAfterPause(chat)
      for (const { row, what, refused } of sent) {
        const steps = inputRows(stored, nonces.get(refused) ?? '')
        const stores = `steps stored by a request with ${what}`
        claim(row, () => expect(steps, stores).toEqual([]), refused, ...pages)
      }
    },
  )
})
