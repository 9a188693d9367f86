import {
  answerJson,
  assume,
  type Chat,
  contains,
  covers,
  describe,
  describeShape,
  expect,
  expectAccepted,
  isConclusive,
  statusText,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'

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

      const word = chat.name.split(' ')[0] ?? chat.name
      // Two chats are newer, so that a page of two that looks at no name does not show this one.
      const found = await chats.poll(
        () => chats.list({ search: word, limit: 2 }),
        (body) => contains(body, chat.id),
      )
      claim(
        'V3-CHAT-06',
        () => {
          expectAccepted(found, 'GET /chat with search')
          expect(contains(answerJson(found), chat.id), `search=${word} finds the chat`).toBe(true)
        },
        found,
      )
    },
  )

  test(
    'a list is limited and paged',
    covers(['V3-CHAT-07', 'V3-CHAT-08'], { requests: 50, chats: 7 }),
    async ({ v3, chats, claim, session }) => {
      const word = session.nonce()
      const made: Chat[] = []
      for (let count = 0; count < 6; count += 1) {
        made.push(await v3.createChat({}, `${word} ${session.name()}`))
      }
      const ids = made.map(({ id }) => id)
      const found = await chats.poll(
        () => chats.list({ search: word }),
        (body) => ids.every((id) => contains(body, id)),
      )
      // Where a search finds them all, nothing else comes between them.
      const apart = ids.every((id) => contains(answerJson(found), id))
      for (const query of [...(apart ? [{ limit: 2, search: word }] : []), { limit: 2 }]) {
        const limited = await chats.list(query)
        claim(
          'V3-CHAT-07',
          () => {
            expectAccepted(limited, 'GET /chat with limit')
            const shown = ids.filter((id) => contains(answerJson(limited), id))
            expect(shown.length, 'chats of ours on a page with limit 2').toBeLessThanOrEqual(2)
          },
          limited,
        )

        const walk = await chats.follow(query, made)
        const missing = ids.filter((id) => walk.pagesWith(id).length === 0)
        assume(
          missing.length === 0 || isConclusive(walk, ids),
          'no cursor was found to follow the list: say shapes.chatCursor',
          ...walk.pages,
        )
        claim(
          'V3-CHAT-08',
          () => expect(missing, 'chats that no page shows').toEqual([]),
          ...walk.pages.slice(0, 5),
        )
        if (!('search' in query) || missing.length > 0) continue
        // Nothing changes meanwhile: one walk to the end shows each of them once.
        const noneOfOurs = { id: session.uuid(), name: session.name(), created: found }
        const once = await chats.walkOnce(query, [noneOfOurs])
        if (!once.complete) continue
        const counts = ids.map((id) => once.pagesWith(id).length)
        claim(
          'V3-CHAT-08',
          () => expect(counts, 'pages that show each of the chats').toEqual(ids.map(() => 1)),
          ...once.pages.slice(0, 5),
        )
      }
    },
  )

  test(
    'exclude_favorites leaves favorites out and keeps the others',
    covers(['V3-CHAT-09'], { requests: 24, chats: 2 }),
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
          expect(walk.pagesWith(plain.id), 'pages with the other chat').not.toEqual([])
          expect(whole.pagesWith(favorite.id), 'pages with the favorite').toEqual([])
        },
        ...whole.pages.slice(0, 3),
      )
    },
  )
})
