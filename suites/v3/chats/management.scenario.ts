import {
  answerJson,
  assume,
  assumeRead,
  type Chat,
  type ChatsApi,
  contains,
  covers,
  describe,
  describeShape,
  type Exchange,
  expect,
  expectAccepted,
  isDeclined,
  isUuid,
  leavesOf,
  statusText,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { firstWord } from '../../support/test-data.ts'

/** Sections 2.5 and 4.3: reading, renaming, naming and deleting chats. */
describe('v3: chat management', () => {
  test(
    'a chat is read with the name that it was created with',
    covers(['V3-CHAT-02', 'V3-CHAT-04'], { requests: 6, chats: 2 }),
    async ({ v3, chats, claim, session }) => {
      for (const name of [session.name(), `${session.name()} a < b & "é" 東京 🚀`]) {
        const chat = await v3.createChat({}, name)
        const read = await chats.get(chat.id)
        claim('V3-CHAT-04', () => {
          expectAccepted(read, 'GET /chat/{chat_id}')
          expect(chats.mentions(read, chat), 'the answer shows the chat').toBe(true)
        })
        claim('V3-CHAT-02', () =>
          expect(contains(answerJson(read), name), 'the answer contains the name of the chat').toBe(
            true,
          ),
        )
        if (succeeded(read)) session.observe('OPEN-02', describeShape(read), [read])
      }
    },
  )

  test(
    'an update changes the chat and no other',
    covers(['V3-CHAT-10', 'V3-CHAT-13'], { requests: 18, chats: 2 }),
    async ({ v3, chats, claim, session, profile }) => {
      const chat = await v3.createChat()
      const other = await v3.createChat({}, chat.name)
      const name = session.name()
      const patched = await chats.rename(chat.id, name)
      session.observe('OPEN-12', `PATCH /chat: ${statusText(patched)}`, [patched])
      const read = await chats.poll(
        () => chats.get(chat.id),
        (body) => contains(body, name),
      )
      const isRenamed = succeeded(patched) && contains(answerJson(read), name)
      if (!isRenamed && profile.requests.patchChat === undefined) {
        session.markUndecided(
          'unproven',
          ['V3-CHAT-10'],
          'our guess at the body of PATCH changed no name: set requests.patchChat in the target profile',
        )
      } else {
        claim(
          'V3-CHAT-10',
          () => {
            expectAccepted(patched, 'PATCH /chat/{chat_id}')
            expect(contains(answerJson(read), name), 'the chat has the new name').toBe(true)
          },
          patched,
          read,
        )
        const second = `${session.name()} a < b & "é" 東京 🚀`
        const again = await chats.rename(chat.id, second)
        const later = await chats.poll(
          () => chats.get(chat.id),
          (body) => contains(body, second),
        )
        if (succeeded(patched)) {
          claim(
            'V3-CHAT-10',
            () => {
              expectAccepted(again, 'a second PATCH /chat/{chat_id}')
              expect(contains(answerJson(later), second), 'the chat has its second name').toBe(true)
            },
            again,
            later,
          )
        }
      }
      const untouched = await chats.get(other.id)
      claim(
        'V3-CHAT-13',
        () =>
          expect(contains(answerJson(untouched), other.name), 'the other chat has its name').toBe(
            true,
          ),
        patched,
        untouched,
      )
    },
  )

  test(
    'a deleted chat is neither listed nor read, and the others are',
    covers(['V3-CHAT-11', 'V3-CHAT-13'], { requests: 36, generations: 1, chats: 2 }),
    async ({ v3, chats, claim, prompts }) => {
      const chat = await v3.createChat()
      const other = await v3.createChat({}, chat.name)
      await v3.generateOk(v3.generateBody(chat, prompts.brief()))
      const before = await chats.get(chat.id, { role: 'control' })
      assume(chats.mentions(before, chat), 'the chat cannot be read before', before)
      const favorites = await markFavorites(chats, [chat, other])

      const removed = await chats.remove(chat.id)
      const read = await chats.poll(
        () => chats.get(chat.id),
        (_, page) => isDeclined(page),
      )
      const history = await chats.poll(
        () => v3.history(chat),
        (_, page) => isDeclined(page),
      )
      const word = firstWord(chat.name)
      const listed = await chats.walkOnce({ search: word }, [])
      claim(
        'V3-CHAT-11',
        () => {
          expectAccepted(removed, 'DELETE /chat/{chat_id}')
          expect(isDeclined(read), 'reading the deleted chat is declined').toBe(true)
          expect(isDeclined(history), 'reading its history is declined').toBe(true)
          expect(listed.pagesWith(chat.id).length, 'pages of the list that show it').toBe(0)
        },
        removed,
        read,
        history,
        ...listed.pages.slice(0, 3),
      )
      if (favorites.includes(chat)) {
        const isOtherMarked = favorites.includes(other)
        const left = await chats.poll(
          () => chats.readFavorites(),
          (body) => !contains(body, chat.id) && (!isOtherMarked || contains(body, other.id)),
        )
        const isShown = contains(left.body, chat.id)
        claim(
          'V3-CHAT-11',
          () => expect(isShown, 'the favorites show the deleted chat').toBe(false),
          removed,
          left,
        )
        if (isOtherMarked) {
          assumeRead(left, contains(left.body, other.id))
          claim(
            'V3-CHAT-13',
            () => expect(contains(left.body, other.id), 'the other chat is a favorite').toBe(true),
            removed,
            left,
          )
        }
      }
      const kept = await chats.get(other.id)
      claim(
        'V3-CHAT-13',
        () => {
          expectAccepted(kept, 'reading the other chat')
          expect(chats.mentions(kept, other), 'the other chat is kept').toBe(true)
        },
        removed,
        kept,
      )
    },
  )

  test(
    'a title is generated',
    covers(['V3-CHAT-12'], { requests: 10, generations: 2, chats: 1 }),
    async ({ v3, chats, claim, session, prompts }) => {
      const chat = await v3.createChat()
      await v3.generateOk(v3.generateBody(chat, prompts.sentences(1, 'bread is made')))
      const before = await chats.get(chat.id, { role: 'control' })
      const textsBefore = textsOf(before)
      assume(succeeded(before), `the chat cannot be read (${statusText(before)})`, before)
      const named = await chats.generateName(chat.id)
      const isNew = (text: string) => !textsBefore.includes(text) && !isTimeOrId(text)
      const read = await chats.poll(
        () => chats.get(chat.id),
        (_, page) => [...textsOf(named), ...textsOf(page)].some(isNew),
      )
      session.observe(
        'OPEN-13',
        `POST /chat/{chat_id}/generate-name: ${statusText(named)} ${describeShape(named)}`,
        [named],
      )
      claim(
        'V3-CHAT-12',
        () => {
          expectAccepted(named, 'POST /chat/{chat_id}/generate-name')
          const titles = [...textsOf(named), ...textsOf(read)].filter(isNew)
          expect(titles, 'texts that can be a title').not.toEqual([])
        },
        named,
        read,
      )
    },
  )
})

/** Selects those of the chats that the favorites show once they have been added, by their ids. */
async function markFavorites(chats: ChatsApi, added: readonly Chat[]): Promise<readonly Chat[]> {
  for (const { id } of added) await chats.addFavorite(id, { role: 'arrange' })
  const list = await chats.poll(
    () => chats.readFavorites(),
    (body) => added.every(({ id }) => contains(body, id)),
  )
  return added.filter(({ id }) => contains(list.body, id))
}

/** The texts of an answer that hold a letter. */
function textsOf(exchange: Exchange): string[] {
  return leavesOf(answerJson(exchange)).flatMap(({ value }) =>
    typeof value === 'string' && /\p{L}/u.test(value) ? [value] : [],
  )
}

function isTimeOrId(text: string): boolean {
  return isUuid(text) || /^\d{4}-?\d\d-?\d\dT[\d:.]+\S*$/.test(text)
}
