import { covers, describe, isObject, test } from '../../harness/conformance/scenario/index.ts'
import { buildTextFile, modelAliases } from '../support/test-data.ts'
import { sendRows } from './rows.ts'
import { set, textsOf } from './values.ts'

/** Section 4.2: what holds for a stored message holds under each pair of conditions. */
describe('v2: conditions', () => {
  test(
    'a message is stored as it was sent under every condition',
    covers(
      [
        ...([
          'V2-MSG-01',
          'V2-MSG-02',
          'V2-MSG-03',
          'V2-MSG-04',
          'V2-MSG-05',
          'V2-MSG-06',
        ] as const),
        ...(['V2-MSG-07', 'V2-MSG-11', 'V2-MSG-12', 'V2-MSG-13', 'V2-MSG-14'] as const),
      ],
      { requests: 1 },
    ),
    async ({ v2, attachments, claim, profile, session, prompts, depth }) => {
      if (depth !== 'full') return
      const chat = await v2.chat()
      const files: unknown[] = []
      for (const name of profile.capabilities.attachments ? ['one', 'two'] : []) {
        const file = buildTextFile(session)
        const uploaded = await attachments.upload(file, undefined, { role: 'arrange' })
        files.push(attachments.recordIn(uploaded, file.name) ?? name)
      }
      const { id: parent } = await v2.storeOk(chat, prompts.brief())
      const dimensions = {
        text: textsOf('V2-MSG-06', 'content'),
        model: Object.fromEntries(
          modelAliases(profile).map((id) => [id, set('V2-MSG-01', { model_id: id })]),
        ),
        parent: { given: set('V2-MSG-11', { parent_id: parent }) },
        think: {
          true: set('V2-MSG-12', { think: true }),
          false: set('V2-MSG-12', { think: false }),
        },
        rag: {
          true: set('V2-MSG-13', { rag: true }),
          false: set('V2-MSG-13', { rag: false }),
          agent: set('V2-MSG-13', { rag: 'agent' }),
        },
        ...(files.every(isObject) && files.length > 0
          ? {
              attachments: {
                none: set('V2-MSG-14', { attachments: [] }),
                one: set('V2-MSG-14', { attachments: files.slice(0, 1) }),
                two: set('V2-MSG-14', { attachments: files }),
              },
            }
          : {}),
      }
      await sendRows({ claim, session, depth }, dimensions, (edit) =>
        v2.message(edit(v2.messageBody(chat, prompts.brief(session.nonce())))),
      )
    },
  )
})
