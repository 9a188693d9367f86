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
  inputRows,
  isConclusive,
  statusText,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'

/** Sections 2.5 and 4.3: listing and searching chats, and favorites. */
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
        'exclude_favorites: true, whose type is a guess, was not understood: say requests.excludeFavorites',
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

  test(
    'favorites are added, listed and removed',
    covers(['V3-FAV-01', 'V3-FAV-02', 'V3-FAV-03', 'V3-CHAT-05', 'V3-CHAT-06'], {
      requests: 40,
      chats: 2,
    }),
    async ({ v3, chats, claim }) => {
      const [chat, other] = [await v3.createChat(), await v3.createChat()]
      const added = await chats.addFavorite(chat.id)
      const shown = await chats.poll(
        () => chats.favorites(),
        (_, page) => chats.mentions(page, chat),
      )
      const isFavorite = claim(
        'V3-FAV-01',
        () => {
          expectAccepted(added, 'POST /chat/{chat_id}/favorite')
          expectAccepted(shown, 'GET /chat/favorite')
          expect(chats.mentions(shown, chat), 'the favorites show the chat').toBe(true)
        },
        added,
        shown,
      )
      assume(isFavorite, 'no favorite was added', added, shown)
      const walk = await chats.walk({}, [chat])
      const listed = walk.pagesWith(chat.id).length > 0
      if (listed || walk.complete) {
        claim(
          'V3-CHAT-05',
          () => expect(listed, 'the list shows a favorite, too').toBe(true),
          ...walk.pages.slice(0, 3),
        )
      }
      const word = chat.name.split(' ')[0] ?? chat.name
      const found = await chats.poll(
        () => chats.list({ search: word }),
        (body) => contains(body, chat.id),
      )
      claim(
        'V3-CHAT-06',
        () =>
          expect(contains(answerJson(found), chat.id), `search=${word} finds a favorite`).toBe(
            true,
          ),
        found,
      )
      // Whatever a second request is answered, the chat stays what it is.
      await chats.addFavorite(chat.id, { role: 'probe' })
      const still = await chats.favorites()
      claim(
        'V3-FAV-01',
        () =>
          expect(
            chats.mentions(still, chat),
            'the favorites show a chat that was added twice',
          ).toBe(true),
        still,
      )
      claim(
        'V3-FAV-03',
        () =>
          expect(chats.mentions(shown, other), 'the favorites show a chat that is not one').toBe(
            false,
          ),
        shown,
      )

      const removed = await chats.removeFavorite(chat.id)
      const after = await chats.poll(
        () => chats.favorites(),
        (_, page) => !chats.mentions(page, chat),
      )
      await chats.removeFavorite(chat.id, { role: 'probe' })
      const afterTwo = await chats.favorites()
      claim(
        'V3-FAV-02',
        () =>
          expect(
            chats.mentions(afterTwo, chat),
            'the favorites show a chat that was removed twice',
          ).toBe(chats.mentions(after, chat)),
        removed,
        afterTwo,
      )
      const read = await chats.get(chat.id)
      claim(
        'V3-FAV-02',
        () => {
          expectAccepted(removed, 'DELETE /chat/{chat_id}/favorite')
          expectAccepted(after, 'GET /chat/favorite')
          expect(chats.mentions(after, chat), 'the favorites still show the chat').toBe(false)
          expectAccepted(read, 'reading the chat that was a favorite')
          expect(chats.mentions(read, chat), 'the chat is kept').toBe(true)
        },
        removed,
        after,
        read,
      )
    },
  )

  test(
    'a favorite keeps its mark, its name and its history whatever else is done to the chat',
    covers(['V3-FAV-01', 'V3-FAV-03', 'V3-CHAT-02', 'V3-CHAT-05', 'V3-HIST-07'], {
      requests: 51,
      generations: 3,
      chats: 3,
    }),
    async ({ v3, chats, claim, session }) => {
      const [chat, other, newer] = [
        await v3.createChat(),
        await v3.createChat(),
        await v3.createChat(),
      ]
      const isNamed = contains(answerJson(await chats.get(chat.id)), chat.name)
      const added = await chats.addFavorite(chat.id, { role: 'arrange' })
      const shown = await chats.poll(
        () => chats.favorites(),
        (_, page) => chats.mentions(page, chat),
      )
      // That a favorite is listed is for another scenario.
      if (!succeeded(added) || !chats.mentions(shown, chat)) return
      const showsIds = contains(answerJson(shown), chat.id)
      const nonce = session.nonce()
      await v3.generateOk(v3.generateBody(chat, `Name a colour for ${nonce}.`))
      await v3.generateOk(v3.generateBody(other, 'Name a colour.'))
      const before = await v3.waitForHistory(chat, (rows) => inputRows(rows, nonce).length > 0)
      const walk = await chats.walk({}, [chat, other])
      for (const one of [chat, other]) {
        const listed = walk.pagesWith(one.id).length > 0
        if (!listed && !walk.complete) continue
        const what = 'the list shows a chat that has a message'
        claim('V3-CHAT-05', () => expect(listed, what).toBe(true), ...walk.pages.slice(0, 3))
      }

      const renamed = { ...chat, name: session.name() }
      const marks = async (deed: string) => {
        const favorites = await chats.favorites()
        const shows = (one: Chat) => chats.mentions(favorites, one)
        claim(
          'V3-FAV-01',
          () => expect(shows(chat) || shows(renamed), `still a favorite after ${deed}`).toBe(true),
          favorites,
        )
        claim(
          'V3-FAV-03',
          () => expect(shows(other), `another chat is a favorite after ${deed}`).toBe(false),
          favorites,
        )
      }
      await marks('a generation')
      await chats.addFavorite(chat.id, { role: 'probe' })
      await chats.rename(chat.id, renamed.name, { role: 'probe' })
      await marks('a change of its name')
      await chats.generateName(chat.id, { role: 'probe' })
      if (showsIds) await marks('a new title')
      const after = await v3.historyAfterPause(chat)
      assume(inputRows(before.rows, nonce).length > 0, 'the history does not show the step')
      claim(
        'V3-HIST-07',
        () =>
          expect(
            inputRows(after.rows, nonce).length,
            'rows of the question after a favorite, another name and a title',
          ).toBe(inputRows(before.rows, nonce).length),
        ...before.pages,
        ...after.pages,
      )
      if (!isNamed) return
      const marked = await chats.addFavorite(newer.id, { role: 'probe' })
      const read = await chats.get(newer.id)
      claim(
        'V3-CHAT-02',
        () =>
          expect(
            contains(answerJson(read), newer.name),
            'a favorite has the name of the chat',
          ).toBe(true),
        marked,
        read,
      )
    },
  )
})
