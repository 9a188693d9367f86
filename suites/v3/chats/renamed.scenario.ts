import {
  answerJson,
  assume,
  assumeRead,
  contains,
  covers,
  describe,
  expect,
  expectAccepted,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { firstWord } from '../../support/test-data.ts'

/** Sections 2.5 and 4.3: the name of a chat is the same one wherever the chat is shown. */
describe('v3: names in the list of chats', () => {
  test(
    'a chat that was renamed is found, and listed, by its new name',
    covers(['V3-CHAT-06', 'V3-CHAT-10'], { requests: 30, chats: 1 }),
    async ({ v3, chats, claim, session }) => {
      const chat = await v3.createChat()
      const search = (name: string) =>
        chats.poll(
          () => chats.readList({ search: firstWord(name) }),
          (body) => contains(body, chat.id),
        )
      const before = await search(chat.name)
      assume(
        contains(before.body, chat.id),
        'a search does not find the chat by the name that it was created with',
        before,
      )
      const showsNames = contains(before.body, chat.name)

      const name = session.name()
      const patched = await chats.rename(chat.id, name)
      const read = await chats.poll(
        () => chats.get(chat.id),
        (body) => contains(body, name),
      )
      const isRenamed = succeeded(patched) && contains(answerJson(read), name)
      if (!isRenamed) {
        const reason = 'the chat was not renamed: set requests.patchChat in the target profile'
        session.markUndecided('unproven', ['V3-CHAT-06', 'V3-CHAT-10'], reason)
        return
      }
      const after = await chats.poll(
        () => chats.readList({ search: firstWord(name) }),
        (body) => contains(body, chat.id) && (!showsNames || contains(body, name)),
      )
      assumeRead(after, contains(after.body, chat.id))
      const isFound = claim(
        'V3-CHAT-06',
        () => {
          expectAccepted(after, 'GET /chat with search')
          const what = `search=${firstWord(name)} finds the chat by its new name`
          expect(contains(after.body, chat.id), what).toBe(true)
        },
        after,
        patched,
        read,
      )
      if (!isFound || !showsNames) return
      claim(
        'V3-CHAT-10',
        () => expect(contains(after.body, name), 'the list shows the new name').toBe(true),
        after,
        patched,
        before,
      )
    },
  )
})
