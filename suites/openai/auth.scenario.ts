import {
  acceptsKey,
  answerJson,
  covers,
  describe,
  hasMember,
  holdsList,
  isCompletion,
  requireProfile,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { allBadCredentials, badCredentials } from '../support/credentials.ts'

/** Section 5, rules 1 and 4: the compatible surface answers 401 to a missing or wrong key. */
describe('compatible surface: authentication', () => {
  const rows = ['OAI-AUTH-01', 'OAI-AUTH-02', 'OAI-AUTH-03', 'OAI-AUTH-04', 'OAI-AUTH-05'] as const

  test(
    'POST /chat/completions requires a valid key',
    covers(rows, { requests: 19, generations: 1 }),
    async ({ openai, claim, expectRejected, keys, prompts }) => {
      const body = openai.chatBody(prompts.brief(), { max_tokens: 16 })
      const control = await openai.chat(body, { role: 'control' })
      acceptsKey(claim, 'OAI-AUTH-05', control, isCompletion(control))

      requireProfile(keys.openai, 'apiKey')
      for (const { row, what, authorization } of allBadCredentials('OAI', keys.openai)) {
        const send = () => openai.chat(body, { role: 'negative', authorization })
        await expectRejected({ row, control, what, send, ping: openai.ping, status: 401 })
      }
    },
  )

  test(
    'GET /models requires a valid key',
    covers(rows, { requests: 15 }),
    async ({ openai, claim, expectRejected, keys, profile }) => {
      const control = await openai.models({ role: 'control' })
      const { main, aliases } = profile.models
      const list = answerJson(control)
      const isList = holdsList(list) || hasMember(list, [main, ...aliases])
      acceptsKey(claim, 'OAI-AUTH-05', control, succeeded(control) && isList)

      requireProfile(keys.openai, 'apiKey')
      for (const { row, what, authorization } of badCredentials('OAI', keys.openai)) {
        const send = () => openai.models({ role: 'negative', authorization })
        await expectRejected({ row, control, what, send, ping: openai.ping, status: 401 })
      }
    },
  )
})
