import {
  answerJson,
  contains,
  covers,
  describe,
  expect,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { type Body, sendRows } from './rows.ts'
import { namesOf } from './values.ts'

/** Section 4.3: a chat keeps its name, whatever kind of text it is. */
describe('v3: names under conditions', () => {
  test(
    'a chat is shown with names of every kind, given and changed',
    covers(['V3-CHAT-01', 'V3-CHAT-02', 'V3-CHAT-10'], { requests: 1 }),
    async ({ v3, chats, claim, session, depth, profile }) => {
      // The body of PATCH is not shown (section 4.3): a guess is judged once it has changed a name.
      let canRename = profile.requests.patchChat !== undefined
      await sendRows(
        { claim, session, depth },
        { text: namesOf('V3-CHAT-01') },
        async (edit) => {
          const { name } = edit({ name: session.name() })
          const created = await v3.postChat(String(name))
          const id = v3.newChatId(created)
          if (id) v3.deleteOnCleanup(id)
          return created
        },
        async (created) => {
          const id = v3.newChatId(created)
          const name = nameSent(created)
          if (id === undefined || name === undefined) return
          const read = await chats.get(id)
          if (!succeeded(read)) return
          const isShown = contains(answerJson(read), name)
          const what = `the chat has its name ${JSON.stringify(name)}`
          claim('V3-CHAT-02', () => expect(isShown, what).toBe(true), read, created)
          const renamed = `${name} 2`
          if (!succeeded(await chats.rename(id, renamed))) return
          const after = await chats.poll(
            () => chats.get(id),
            (body) => contains(body, renamed),
          )
          const changed = `the chat has its new name ${JSON.stringify(renamed)}`
          const isChanged = contains(answerJson(after), renamed)
          canRename ||= isChanged
          if (!canRename) return
          claim('V3-CHAT-10', () => expect(isChanged, changed).toBe(true), after)
        },
      )
    },
  )
})

function nameSent({ request }: { request: { body: Uint8Array | null } }): string | undefined {
  const sent: Body = JSON.parse(new TextDecoder().decode(request.body ?? undefined))
  return typeof sent['name'] === 'string' ? sent['name'] : undefined
}
