import {
  answerJson,
  assumeRead,
  contains,
  covers,
  describe,
  expect,
  requireProfile,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { badCredentials } from '../../support/credentials.ts'
import { buildTextFile, firstWord } from '../../support/test-data.ts'

/** Section 5: a request that is refused for its token has not done what it asked for either. */
describe('v3: deeds without the right token', () => {
  const rows = ['V3-AUTH-01', 'V3-AUTH-02'] as const

  /** The first two ways not to have the key: none, and another. */
  const strangers = (key: string) => badCredentials('V3', key).slice(0, 2)

  test(
    'no chat is created, renamed or favorited without a valid token',
    covers(rows, { requests: 26, chats: 2 }),
    async ({ v3, chats, claim, keys, session }) => {
      requireProfile(keys.v3, 'apiKey')
      for (const { row, what, authorization } of strangers(keys.v3)) {
        const options = { role: 'negative', authorization } as const
        const name = session.name()
        const chat = await v3.createChat()
        // What a server shows of a chat is open, and may be wrong: that is for other rows.
        const showsName = contains(answerJson(await chats.get(chat.id)), chat.name)
        const wasMarked = chats.mentions(await chats.readFavorites(), chat)
        const sent = [
          await v3.postChat(name, {}, options),
          await chats.generateName(chat.id, options),
          await chats.addFavorite(chat.id, options),
        ]
        // The word alone: an answer may repeat what was searched for.
        const list = await chats.readList({ search: firstWord(name) })
        const read = await chats.get(chat.id)
        const favorites = await chats.readFavorites()
        claim(
          row,
          () => {
            expect(contains(list.body, name), `a chat was created with ${what}`).toBe(false)
            if (showsName) {
              expect(contains(answerJson(read), chat.name), 'the chat still has its name').toBe(
                true,
              )
            }
            if (!wasMarked) {
              expect(chats.mentions(favorites, chat), `a favorite was added with ${what}`).toBe(
                false,
              )
            }
          },
          ...sent,
          list,
          read,
          favorites,
        )
      }
    },
  )

  test(
    'no favorite is removed without a valid token',
    covers(rows, { requests: 16, chats: 2 }),
    async ({ v3, chats, claim, keys }) => {
      requireProfile(keys.v3, 'apiKey')
      for (const { row, what, authorization } of strangers(keys.v3)) {
        const chat = await v3.createChat()
        await chats.addFavorite(chat.id, { role: 'control' })
        const before = await chats.poll(
          () => chats.readFavorites(),
          (_body, page) => chats.mentions(page, chat),
        )
        // That it is shown at all is for another row.
        if (!chats.mentions(before, chat)) continue
        const removed = await chats.removeFavorite(chat.id, { role: 'negative', authorization })
        const after = await chats.poll(
          () => chats.readFavorites(),
          (_, page) => chats.mentions(page, chat),
        )
        assumeRead(after, chats.mentions(after, chat))
        claim(
          row,
          () =>
            expect(
              chats.mentions(after, chat),
              `the chat is still a favorite after a request with ${what}`,
            ).toBe(true),
          removed,
          before,
          after,
        )
      }
    },
  )

  test(
    'no file is stored without a valid token',
    covers(rows, { requests: 4 }),
    async ({ attachments, claim, keys, profile, session }) => {
      requireProfile(keys.v3, 'apiKey')
      if (!profile.capabilities.attachments) return
      for (const { row, what, authorization } of strangers(keys.v3)) {
        const nonce = session.nonce()
        const file = buildTextFile(session, nonce)
        const sent = await attachments.upload(file, undefined, { role: 'negative', authorization })
        const list = await attachments.walk({ search: nonce })
        claim(
          row,
          () =>
            expect(contains(list.body, file.name), `a file was stored with ${what}`).toBe(false),
          sent,
          list,
        )
      }
    },
  )
})
