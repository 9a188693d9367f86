import { covers, describe, test } from '../../harness/conformance/scenario/index.ts'

/** Sections 2.3 and 4.2: POST /message stores a message of the user. */
describe('v2: messages', () => {
  test(
    'a message without a required field is refused',
    covers(['V2-MSG-08', 'V2-MSG-15'], { requests: 8 }),
    async ({ v2, expectRejected, session, prompts }) => {
      const chat = await v2.chat()
      const right = v2.messageBody(chat, prompts.brief())
      const control = await v2.message(right, { role: 'control' })
      for (const field of ['chat_id', 'content', 'model_id']) {
        const send = () => v2.message({ ...right, [field]: undefined }, { role: 'negative' })
        const what = `no ${field}`
        const refused = await expectRejected({
          row: 'V2-MSG-08',
          noServerError: 'V2-MSG-15',
          control,
          what,
          send,
          ping: () => v2.ping(chat),
        })
        session.observe('OPEN-22', `v2 message, ${what}: ${refused.response?.status}`, [refused])
      }
    },
  )

  test(
    'a message with a field of another type is refused',
    covers(['V2-MSG-09', 'V2-MSG-15'], { requests: 20 }),
    async ({ v2, expectRejected, prompts }) => {
      const chat = await v2.chat()
      const right = v2.messageBody(chat, prompts.brief())
      const control = await v2.message(right, { role: 'control' })
      const wrong = {
        chat_id: { id: chat },
        content: { text: prompts.brief() },
        model_id: { id: 'model' },
        parent_id: { id: chat },
        think: { on: true },
        rag: { nothing: ['known'] },
        attachments: 'file.txt',
        assistant_id: { id: 'assistant' },
      }
      for (const [field, value] of [...Object.entries(wrong), ['attachments', [7]] as const]) {
        const send = () => v2.message({ ...right, [field]: value }, { role: 'negative' })
        const what = `${field}: ${JSON.stringify(value)}`
        await expectRejected({
          row: 'V2-MSG-09',
          noServerError: 'V2-MSG-15',
          control,
          what,
          send,
          ping: () => v2.ping(chat),
        })
      }
    },
  )
})
