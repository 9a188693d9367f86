import {
  assume,
  contains,
  covers,
  describe,
  describeShape,
  expect,
  expectAccepted,
  statusText,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { firstWord } from '../../support/test-data.ts'

/** Sections 2.5 and 4.3: listing and searching chats. */
describe('v3: the list of chats', () => {
  test(
    'a chat is listed, and found by the first word of its name',
    covers(['V3-CHAT-05', 'V3-CHAT-06'], { requests: 14, chats: 3 }),
    async ({ v3, chats, claim, session }) => {
      const chat = await v3.createChat()
      const others = [await v3.createChat(), await v3.createChat()]
      const whole = await chats.list()
      claim('V3-CHAT-05', () => expectAccepted(whole, 'GET /chat'), whole)
      const { pages, complete, pagesWith } = await chats.walk({}, [chat, ...others])
      const listed = pagesWith(chat.id).length > 0
      assume(
        listed || complete,
        'no cursor was found to follow the list to its end: say shapes.chatCursor',
        ...pages,
      )
      claim(
        'V3-CHAT-05',
        () => expect(listed, 'the list shows the chat').toBe(true),
        ...pages.slice(0, 3),
      )
      const [first] = pages
      if (first)
        session.observe('OPEN-13', `GET /chat: ${statusText(first)} ${describeShape(first)}`, [
          first,
        ])

      const word = firstWord(chat.name)
      // Two chats are newer, so that the first two rows of a list that looks at no name do not show this one.
      const found = await chats.poll(
        () => chats.readList({ search: word, limit: 2 }, 2),
        (body) => contains(body, chat.id),
      )
      claim(
        'V3-CHAT-06',
        () => {
          expectAccepted(found, 'GET /chat with search')
          expect(contains(found.body, chat.id), `search=${word} finds the chat`).toBe(true)
        },
        found,
      )
    },
  )

  test(
    'exclude_favorites leaves favorites out and keeps the others',
    covers(['V3-CHAT-09'], { requests: 26, chats: 2 }),
    async ({ v3, chats, claim, profile }) => {
      const [favorite, plain] = [await v3.createChat(), await v3.createChat()]
      const added = await chats.addFavorite(favorite.id, { role: 'arrange' })
      assume(succeeded(added), `adding a favorite was refused with ${statusText(added)}`, added)
      const query = { exclude_favorites: chats.excludeFavorites }
      const walk = await chats.walk(query, [plain])
      assume(
        walk.pagesWith(plain.id).length > 0 || walk.complete,
        'the list could not be followed: say shapes.chatCursor',
      )
      const whole = await chats.walkOnce(query, [plain, favorite])
      assume(
        whole.pagesWith(favorite.id).length === 0 || profile.requests.excludeFavorites,
        'exclude_favorites: true, whose type is a guess, was not understood: set requests.excludeFavorites',
        ...whole.pages.slice(0, 3),
      )
      claim(
        'V3-CHAT-09',
        () => {
          expect(walk.pagesWith(plain.id).length, 'pages with the other chat').toBeGreaterThan(0)
          expect(whole.pagesWith(favorite.id).length, 'pages with the favorite').toBe(0)
        },
        ...whole.pages.slice(0, 3),
      )

      const search = firstWord(favorite.name)
      const found = await chats.list({ search })
      if (!succeeded(found) || whole.pagesWith(favorite.id).length > 0) return
      const sought = await chats.readList({ ...query, search })
      claim(
        'V3-CHAT-09',
        () => {
          expectAccepted(sought, 'GET /chat with search and exclude_favorites')
          const isShown = contains(sought.body, favorite.id)
          expect(isShown, 'a search that excludes favorites shows a favorite').toBe(false)
        },
        sought,
        found,
      )
    },
  )
})
