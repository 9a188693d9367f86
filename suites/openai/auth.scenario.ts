import {
  answerJson,
  describe,
  hasMember,
  holdsList,
  isCompletion,
  requirementsOf,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { coversKeys, expectKeyNeeded, forOtherModels } from '../support/credentials.ts'
import { each } from '../support/mistakes.ts'

/** Section 5, rules 1 and 4: the compatible surface answers 401 to a missing or wrong key. */
describe('compatible surface: authentication', () => {
  const requirements = requirementsOf('OAI-AUTH')

  test(
    'POST /chat/completions MUST require a valid key',
    coversKeys(requirements, { requests: 33, generations: 1 }),
    async ({ openai, prompts, profile, scenario }) => {
      const body = openai.chatBody(prompts.brief(), { max_tokens: 16 })
      const control = await openai.chat(body, { role: 'control' })
      const content = prompts.brief()
      const ofAllRoles = ['system', 'user', 'assistant', 'user'].map((role) => ({ role, content }))
      await expectKeyNeeded(scenario, {
        surface: 'openai',
        control,
        isRight: isCompletion(control),
        variants: {
          'as a stream': { stream: true },
          ...forOtherModels(profile, 'model', { stream: true }),
        },
        conditions: {
          stream: each('stream', true, false),
          messages: { 'of all roles': { messages: ofAllRoles } },
        },
        send: (options, members) => openai.chat({ ...body, ...members }, options),
        ping: openai.ping,
      })
    },
  )

  test(
    'GET /models MUST require a valid key',
    coversKeys(requirements, { requests: 13 }),
    async ({ openai, profile, scenario }) => {
      const control = await openai.models({ role: 'control' })
      const { main, aliases } = profile.models
      const list = answerJson(control)
      const isList = holdsList(list) || hasMember(list, [main, ...aliases])
      await expectKeyNeeded(scenario, {
        surface: 'openai',
        control,
        isRight: succeeded(control) && isList,
        send: (options) => openai.models(options),
        ping: openai.ping,
      })
    },
  )
})
