import {
  answerJson,
  type Chat,
  contains,
  coversAtDepth,
  describe,
  type Exchange,
  expect,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { nameEditsOf } from './edits.ts'
import { type Body, describeRow, type Trial, tryConditions } from './trials.ts'

/** Section 4.3: a chat keeps its name under all conditions. */
describe('v3: laws of names', () => {
  test(
    'a chat is found with names of every kind, given and changed',
    coversAtDepth(['V3-CHAT-01', 'V3-CHAT-02', 'V3-CHAT-10', 'V3-AUTH-05'], (rows) => ({
      requests: 4 * rows + 16,
      chats: rows + 1,
    })),
    async ({ v3, chats, claim, session, coverage, profile }) => {
      const { otherKey } = profile
      const edits = nameEditsOf((change) => (body) => ({
        ...body,
        name: change(String(body['name'])),
      }))
      const context = {
        claim,
        session,
        coverage: { ...coverage, rows: Math.min(coverage.rows, maxNames) },
      }
      const as = (isSecond: boolean) => (isSecond ? { authorization: `Bearer ${otherKey}` } : {})

      await tryConditions(context, {
        operation: 'v3.createChat',
        base: () => ({ name: session.name() }),
        edits: {
          ...edits,
          caller: { second: otherKey === undefined ? undefined : (body) => body },
        },
        async send({ name }, row) {
          const caller = as(row['caller'] === 'second')
          const created = await v3.postChat(String(name), {}, { role: 'act', ...caller })
          const id = v3.newChatId(created)
          if (id) v3.deleteOnCleanup(id, caller)
          return created
        },
        laws: [
          async ({ row, body, answer }) => {
            const id = v3.newChatId(answer)
            if (id === undefined) return
            const read = await chats.get(id, as(row['caller'] === 'second'))
            if (succeeded(read)) claimNamed('V3-CHAT-02', { row, body, answer }, read)
          },
        ],
      })

      const chat = await v3.createChat()
      if (!(await canRename(chat))) return
      await tryConditions(context, {
        operation: 'v3.updateChat',
        base: () => ({ name: session.name() }),
        edits,
        send: ({ name }) => chats.rename(chat.id, String(name)),
        laws: [
          async (trial) => {
            const read = await chats.poll(
              () => chats.get(chat.id),
              (found) => contains(found, String(trial.body['name'])),
            )
            claimNamed('V3-CHAT-10', trial, read)
          },
        ],
      })

      /** The body of PATCH is not found: a guess is judged once it has changed a name. */
      async function canRename({ id }: Chat): Promise<boolean> {
        const name = session.name()
        await chats.rename(id, name, { role: 'probe' })
        const read = await chats.poll(
          () => chats.get(id),
          (body) => contains(body, name),
        )
        return contains(answerJson(read), name)
      }

      function claimNamed(
        requirement: 'V3-CHAT-02' | 'V3-CHAT-10',
        { row, body, answer }: { row: Trial['row']; body: Body; answer: Exchange },
        read: Exchange,
      ): void {
        const name = String(body['name'])
        const what = `the chat has its name ${JSON.stringify(name)} (${describeRow(row)})`
        claim(
          requirement,
          () => expect(contains(answerJson(read), name), what).toBe(true),
          read,
          answer,
        )
      }
    },
  )
})

/** Covers all pairs of the few kinds of names. */
const maxNames = 20
