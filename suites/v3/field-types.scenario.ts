import { covers, describe, type Exchange, test } from '../../harness/conformance/scenario/index.ts'
import { formsOf } from '../support/forms.ts'

/** Section 4.3: fields of a generation have the listed types; which status refuses others is open. */
describe('v3: types of the fields', () => {
  test(
    'a generation with a field of another type is refused',
    covers(['V3-GEN-17', 'V3-GEN-13'], { requests: 70, generations: 2, chats: 1 }),
    async ({ v3, expectRejected, session, profile, prompts }) => {
      const chat = await v3.createChat()
      const wrong = {
        stream: { on: false },
        chat_id: { id: chat.id },
        model_id: { id: 'model' },
        input: { text: prompts.brief() },
        think: { on: true },
        include_tools: { tool: 'get_time' },
        exclude_tools: { tool: 'get_time' },
        max_tokens: { most: 7 },
        temperature: { degrees: 1 },
        top_p: { share: 1 },
        presence_penalty: { amount: 1 },
        assistant_id: { id: 'assistant' },
        parent_id: { id: 'run' },
        rag: 7,
      }
      const numbered = (['include_tools', 'exclude_tools'] as const).map(
        (list) => [list, [7]] as const,
      )
      const all = [...Object.entries(wrong), ...numbered]
      const [plain, streamed] = formsOf(profile).map((form) =>
        v3.generateBody(chat, form.stream ? prompts.otherBrief() : prompts.brief(), { ...form }),
      )
      for (const [right, fields, form] of [
        [plain, all, ''],
        [streamed, all.filter(([field]) => field !== 'stream'), ' in a stream'],
      ] as const) {
        if (right === undefined) continue
        const control = await v3.generate(right, { role: 'control' })
        await rejectAll(right, control, fields, form)
      }

      async function rejectAll(
        right: Readonly<Record<string, unknown>>,
        control: Exchange,
        fields: readonly (readonly [string, unknown])[],
        form: string,
      ) {
        for (const [field, value] of fields) {
          const what = `${field}: ${JSON.stringify(value)}${form}`
          const refused = await expectRejected({
            row: 'V3-GEN-17',
            noServerError: 'V3-GEN-13',
            control,
            what,
            send: () => v3.generate({ ...right, [field]: value }, { role: 'negative' }),
            ping: () => v3.ping(chat),
          })
          session.observe('OPEN-22', `${field} of another type: ${refused.response?.status}`, [
            refused,
          ])
        }
      }
    },
  )
})
