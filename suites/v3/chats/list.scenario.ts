import {
  assume,
  contains,
  covers,
  describe,
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
