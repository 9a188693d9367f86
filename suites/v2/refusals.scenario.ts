import {
  coversAtDepth,
  describe,
  isObject,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import {
  bothToolLists,
  each,
  expectAllRefused,
  inObject,
  missing,
  ofAnotherType,
  otherModels,
  refusalCost,
} from '../support/mistakes.ts'
import { replyToUnanswered } from '../support/refusals.ts'
import { attachedFile } from '../support/test-data.ts'

/** Section 4.2: a request with a mistake is refused, whatever else it contains. */
describe('v2: refusals', () => {
  const messageMistakes = [
    ...missing('V2-MSG-08', 'chat_id', 'content', 'model_id'),
    ...ofAnotherType(
      'V2-MSG-09',
      ['chat_id', inObject],
      ['content', { text: 'Name a color.' }, 7, ['Name a color.']],
      ['model_id', { id: 'model' }, 7],
      ['parent_id', { id: 'message' }, 7],
      ['think', 'true', 1],
      ['rag', { nothing: ['known'] }, 7],
      ['attachments', 'file.txt', { id: 'file' }],
      ['attachments', [7], ['file.txt']],
      ['assistant_id', { id: 'assistant' }, 7],
    ),
  ]

  test(
    'a v2 message without a required field, or with one of another type, MUST be refused',
    coversAtDepth(['V2-MSG-08', 'V2-MSG-09', 'V2-MSG-15'], (rows, depth) => ({
      requests: refusalCost(messageMistakes.length, 1)(rows, depth) + 3,
      uploads: 1,
    })),
    async ({ v2, session, profile, prompts, scenario }) => {
      const chat = await v2.chat()
      const file = await attachedFile(scenario)
      const right = v2.messageBody(chat, prompts.brief())
      const control = await v2.message(right, { role: 'control' })
      const parent = succeeded(control) ? v2.storedId(control) : undefined
      const refused = await expectAllRefused(scenario, {
        mistakes: messageMistakes,
        forms: { '': { control } },
        conditions: {
          model: otherModels(profile, 'model_id'),
          think: each('think', true, false),
          rag: each('rag', true, false, 'agent'),
          attachments: {
            none: { attachments: [] },
            ...(isObject(file) && { one: { attachments: [file] } }),
          },
          parent: { given: { parent_id: parent } },
        },
        send: (edit, options) => v2.message(edit(right), options),
        ping: () => v2.ping(chat),
        noServerError: 'V2-MSG-15',
      })
      for (const [{ requirement, what }, answer] of refused) {
        const status = answer.response?.status
        if (requirement === 'V2-MSG-08')
          session.observe('OPEN-22', `v2 message, ${what}: ${status}`, [answer])
      }
    },
  )

  const replyMistakes = [
    ...bothToolLists('V2-GEN-03'),
    ...missing('V2-GEN-02', 'chat_id', 'parent_id', 'model_id'),
    ...ofAnotherType(
      'V2-GEN-05',
      ['chat_id', inObject],
      ['parent_id', inObject, 7],
      ['model_id', inObject, 7],
      ['exclude_tools', { tool: 'get_time' }, 'get_time'],
      ['exclude_tools', [7]],
    ),
  ]

  test(
    'a v2 generation without a required field, with one of another type, or with both tool lists, MUST be refused',
    coversAtDepth(['V2-GEN-02', 'V2-GEN-03', 'V2-GEN-05', 'V2-MSG-15'], (rows, depth) => ({
      requests: refusalCost(replyMistakes.length, 1)(rows, depth) + 8,
      generations: 1,
      chats: 1,
    })),
    async ({ v2, session, profile, prompts, scenario }) => {
      const chat = await v2.chat()
      const { id } = await v2.storeOk(chat, prompts.brief())
      const right = v2.generateBody(chat, id)
      const control = await v2.generate(
        { ...right, exclude_tools: [profile.tools?.name ?? 'get_weather'] },
        { role: 'control' },
      )
      const refused = await expectAllRefused(scenario, {
        mistakes: replyMistakes,
        forms: { '': { control } },
        conditions: {
          model: otherModels(profile, 'model_id'),
          exclude_tools: {
            one: { exclude_tools: [profile.tools?.name ?? 'get_weather'] },
            none: { exclude_tools: [] },
          },
        },
        send: replyToUnanswered(scenario, right),
        ping: () => v2.ping(chat),
        noServerError: 'V2-MSG-15',
      })
      for (const [{ requirement, what }, answer] of refused) {
        const status = answer.response?.status
        if (requirement === 'V2-GEN-02')
          session.observe('OPEN-22', `v2 generation, ${what}: ${status}`, [answer])
        if (requirement === 'V2-GEN-03') session.observe('OPEN-21', `v2: ${status}`, [answer])
      }
    },
  )
})
