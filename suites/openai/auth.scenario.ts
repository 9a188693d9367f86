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
import { badCredentials, expectKeyNeeded, forOtherModels } from '../support/credentials.ts'

/** Section 5, rules 1 and 4: the compatible surface answers 401 to a missing or wrong key. */
describe('compatible surface: authentication', () => {
  const ids = ['OAI-AUTH-01', 'OAI-AUTH-02', 'OAI-AUTH-03', 'OAI-AUTH-04', 'OAI-AUTH-05'] as const

  test(
    'POST /chat/completions MUST require a valid key',
    covers(ids, { requests: 33, generations: 1 }),
    async ({ openai, claim, session, keys, prompts, profile }) => {
      const body = openai.chatBody(prompts.brief(), { max_tokens: 16 })
      const control = await openai.chat(body, { role: 'control' })
      acceptsKey(claim, 'OAI-AUTH-05', control, isCompletion(control))

      requireProfile(keys.openai, 'apiKey')
      const credentials = badCredentials('OAI', keys.openai)
      await expectKeyNeeded(
        { claim, session },
        {
          control,
          credentials,
          variants: { 'as a stream': { stream: true }, ...forOtherModels(profile, 'model') },
          send: (options, members) => openai.chat({ ...body, ...members }, options),
          ping: openai.ping,
        },
      )
    },
  )

  test(
    'GET /models MUST require a valid key',
    covers(ids, { requests: 13 }),
    async ({ openai, claim, session, keys, profile }) => {
      const control = await openai.models({ role: 'control' })
      const { main, aliases } = profile.models
      const list = answerJson(control)
      const isList = holdsList(list) || hasMember(list, [main, ...aliases])
      acceptsKey(claim, 'OAI-AUTH-05', control, succeeded(control) && isList)

      requireProfile(keys.openai, 'apiKey')
      const credentials = badCredentials('OAI', keys.openai)
      const send = (options: object) => openai.models(options)
      await expectKeyNeeded({ claim, session }, { control, credentials, send, ping: openai.ping })
    },
  )
})
