import {
  assume,
  bodyJson,
  covers,
  describe,
  expect,
  expectAccepted,
  isObject,
  requireProfile,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { buildTextFile } from '../support/test-data.ts'

/** Sections 2.3 and 4.2: POST /message stores a message of the user. */
describe('v2: messages', () => {
  test(
    'POST /message stores a message and returns it',
    covers(
      ['V2-MSG-01', 'V2-MSG-02', 'V2-MSG-03', 'V2-MSG-04', 'V2-MSG-05', 'V2-MSG-06', 'V2-MSG-07'],
      { requests: 3 },
    ),
    async ({ v2, claim, session }) => {
      const chat = await v2.chat()
      const stored = await v2.message(
        v2.messageBody(chat, `  Größe für\n\t${session.nonce()}:  "東京" & 🚀 n\u0303 `),
      )
      claim('V2-MSG-01', () => {
        expectAccepted(stored, 'a message with chat_id, content and model_id')
        expect(isObject(bodyJson(stored)), 'the answer is a JSON object').toBe(true)
      })
      // A limit is open; a message that is accepted is judged as it passes.
      const long = `${'Größe, 東京 und 🚀. '.repeat(200)}${session.nonce()}`
      await v2.message(v2.messageBody(chat, long), { role: 'probe' })
    },
  )

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

  test(
    'assistant_id may be a UUID or an identifier of instructions',
    covers(['V2-MSG-10'], { requests: 3 }),
    async ({ v2, claim, profile, session, prompts }) => {
      const chat = await v2.chat()
      const { withoutKnowledge, withKnowledge, instructions } = profile.assistants ?? {}
      const uuid = withoutKnowledge ?? withKnowledge
      requireProfile(uuid, 'assistants')
      for (const assistant of [uuid, instructions ?? 'brief']) {
        const stored = await v2.message(
          v2.messageBody(chat, prompts.brief(), { assistant_id: assistant }),
        )
        if (
          assistant !== uuid &&
          instructions === undefined &&
          stored.response?.status !== undefined &&
          stored.response.status >= 400
        ) {
          // Which identifiers exist is not shown, so a refusal of one of ours says nothing.
          session.observe('OPEN-22', `v2 assistant_id ${assistant}: ${stored.response.status}`, [
            stored,
          ])
          continue
        }
        claim('V2-MSG-10', () => expectAccepted(stored, `assistant_id ${assistant}`), stored)
      }
    },
  )

  test(
    'parent_id chains a message to its parent',
    covers(['V2-MSG-11'], { requests: 3 }),
    async ({ v2, claim, prompts }) => {
      const chat = await v2.chat()
      const { id } = await v2.storeOk(chat, prompts.brief())
      const next = await v2.message(v2.messageBody(chat, prompts.followUp(), { parent_id: id }))
      claim('V2-MSG-11', () => expectAccepted(next, 'a message with parent_id'), next)
    },
  )

  test(
    'think is optional',
    covers(['V2-MSG-12'], { requests: 4 }),
    async ({ v2, claim, prompts }) => {
      const chat = await v2.chat()
      for (const think of [true, false, undefined]) {
        const stored = await v2.message(v2.messageBody(chat, prompts.brief(), { think }))
        claim('V2-MSG-12', () => expectAccepted(stored, `a message with think: ${think}`), stored)
      }
    },
  )

  test(
    'rag may be a boolean or agent',
    covers(['V2-MSG-13'], { requests: 4 }),
    async ({ v2, claim, prompts }) => {
      const chat = await v2.chat()
      for (const rag of [true, false, 'agent']) {
        const stored = await v2.message(v2.messageBody(chat, prompts.brief(), { rag }))
        claim('V2-MSG-13', () => expectAccepted(stored, `a message with rag: ${rag}`), stored)
      }
    },
  )

  test(
    'attachments accepts an uploaded file',
    covers(['V2-MSG-14'], { requests: 3, uploads: 1 }),
    async ({ v2, attachments, claim, session, prompts }) => {
      const file = buildTextFile(session)
      const uploaded = await attachments.upload(file, undefined, { role: 'arrange' })
      const record = attachments.recordIn(uploaded, file.name)
      assume(record, 'the answer to the upload shows no attachment', uploaded)
      const chat = await v2.chat()
      const stored = await v2.message(
        v2.messageBody(chat, prompts.reasoned(), { attachments: [record] }),
      )
      claim('V2-MSG-14', () => expectAccepted(stored, 'a message with attachments'), stored)
    },
  )
})
