import {
  answerText,
  bodyJson,
  describe,
  isObject,
  requirementsOf,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { coversKeys, expectKeyNeeded, forOtherModels } from '../support/credentials.ts'
import { each } from '../support/mistakes.ts'
import { replyToUnanswered } from '../support/refusals.ts'

/** Section 5: no v2 request succeeds without the right token; the status is open. */
describe('v2: authentication', () => {
  const requirements = requirementsOf('V2-AUTH')

  test(
    'POST /api/v2/message MUST require a valid token',
    coversKeys(requirements, { requests: 29 }),
    async ({ v2, prompts, profile, scenario }) => {
      const chat = await v2.chat()
      const body = v2.messageBody(chat, prompts.brief())
      const control = await v2.message(body, { role: 'control' })
      await expectKeyNeeded(scenario, {
        surface: 'v2',
        control,
        isRight: succeeded(control) && isObject(bodyJson(control)),
        variants: {
          ...forOtherModels(profile, 'model_id'),
          'with think and rag': { think: true, rag: true },
        },
        conditions: {
          think: each('think', true, false),
          rag: each('rag', true, false, 'agent'),
          attachments: { none: { attachments: [] } },
        },
        send: (options, members) => v2.message({ ...body, ...members }, options),
        ping: () => v2.ping(chat),
      })
    },
  )

  test(
    'POST /api/v2/message/generate MUST require a valid token',
    coversKeys(requirements, { requests: 29, generations: 1, chats: 1 }),
    async ({ v2, prompts, profile, scenario }) => {
      const chat = await v2.chat()
      const { id } = await v2.storeOk(chat, prompts.brief())
      const turn = v2.generateBody(chat, id)
      const control = await v2.generate(turn, { role: 'control' })
      const sendReply = replyToUnanswered(scenario, turn)
      await expectKeyNeeded(scenario, {
        surface: 'v2',
        control,
        isRight: answerText(control) !== undefined,
        variants: {
          ...forOtherModels(profile, 'model_id'),
          'with exclude_tools': { exclude_tools: ['get_time'] },
        },
        send: (options, members) => sendReply((body) => ({ ...body, ...members }), options),
        ping: () => v2.ping(chat),
      })
    },
  )
})
