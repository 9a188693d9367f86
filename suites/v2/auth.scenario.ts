import {
  acceptsKey,
  answerText,
  bodyJson,
  covers,
  declared,
  describe,
  isRecord,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { badCredentials } from '../support/credentials.ts'

/** Section 5: no v2 request succeeds without the right token; the status is open. */
describe('v2: authentication', () => {
  const rows = [
    'V2-AUTH-01',
    'V2-AUTH-02',
    'V2-AUTH-03',
    'V2-AUTH-04',
    'V2-AUTH-05',
    'V2-AUTH-06',
  ] as const

  test(
    'POST /api/v2/message wants the right token',
    covers(rows, { requests: 16 }),
    async ({ v2, claim, refuses, keys }) => {
      const chat = await v2.chat()
      const body = v2.body(chat, 'Name a colour.')
      const twin = await v2.message(body, { role: 'twin' })
      acceptsKey(claim, 'V2-AUTH-05', twin, succeeded(twin) && isRecord(bodyJson(twin)))

      declared(keys.v2, 'apiKey')
      for (const { row, what, authorization } of badCredentials('V2', keys.v2)) {
        const send = () => v2.message(body, { role: 'negative', authorization })
        await refuses({ row, no5xx: 'V2-AUTH-06', twin, what, send, alive: () => v2.alive(chat) })
      }
    },
  )

  test(
    'POST /api/v2/message/generate wants the right token',
    covers(rows, { requests: 17, generations: 1 }),
    async ({ v2, claim, refuses, keys }) => {
      const chat = await v2.chat()
      const { id } = await v2.store(chat, 'Name a colour.')
      const turn = v2.turn(chat, id)
      const twin = await v2.generate(turn, { role: 'twin' })
      acceptsKey(claim, 'V2-AUTH-05', twin, answerText(twin) !== undefined)

      declared(keys.v2, 'apiKey')
      for (const { row, what, authorization } of badCredentials('V2', keys.v2)) {
        const send = () => v2.generate(turn, { role: 'negative', authorization })
        await refuses({ row, no5xx: 'V2-AUTH-06', twin, what, send, alive: () => v2.alive(chat) })
      }
    },
  )
})
