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
  listedChatIds,
  type ScenarioContext,
  statusText,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { isContentRefusal } from '../../support/refusals.ts'
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
    'a list is limited and paged',
    covers(['V3-CHAT-07', 'V3-CHAT-08'], { requests: 50, chats: 7 }),
    async ({ v3, chats, claim, session }) => {
      const scenario = { v3, chats, claim, session }
      const named = await chatsOfOneWord(scenario, 6, {})
      const { search, apart } = named
      for (const query of [...(apart ? [{ limit: 2, search }] : []), { limit: 2 }]) {
        await expectPaged(scenario, query, named)
      }
    },
  )

  test(
    'a list with a limit above 20 is limited and paged',
    covers(['V3-CHAT-07', 'V3-CHAT-08'], { requests: 70, chats: 24 }),
    async ({ v3, chats, claim, session }) => {
      const scenario = { v3, chats, claim, session }
      const named = await chatsOfOneWord(scenario, 23, { limit: 30 })
      const { search, apart } = named
      await expectPaged(scenario, apart ? { limit: 21, search } : { limit: 21 }, named)
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

type Scenario = Pick<ScenarioContext, 'v3' | 'chats' | 'claim' | 'session'>

interface Named {
  readonly made: readonly Chat[]
  /** Word with which each of their names begins. */
  readonly search: string
  /** Pages that a search for it finds. */
  readonly found: readonly unknown[]
  /** True where that search finds them all, so that nothing else comes between them. */
  readonly apart: boolean
}

async function chatsOfOneWord(
  { v3, chats, session }: Scenario,
  count: number,
  query: { readonly limit?: number },
): Promise<Named> {
  const search = session.nonce()
  const made: Chat[] = []
  while (made.length < count) made.push(await v3.createChat({}, `${search} ${session.name()}`))
  const holdsAll = (body: unknown) => made.every(({ id }) => contains(body, id))
  const { body: found } = await chats.poll(() => chats.readList({ search, ...query }), holdsAll)
  return { made, search, found, apart: holdsAll(found) }
}

/** Larger pages than these may be refused. */
const maxSmallLimit = 20

/** No page shows more of the chats than its limit, and all pages show all of them. */
async function expectPaged(
  { chats, claim, session }: Scenario,
  query: { readonly limit: number; readonly search?: string },
  { made, found }: Named,
): Promise<void> {
  const ids = made.map(({ id }) => id)
  const limited = await chats.list(query)
  // Section 8: the maximum page size is not shown.
  if (query.limit > maxSmallLimit && isContentRefusal(limited)) {
    const answer = `GET /chat with limit ${query.limit}: ${statusText(limited)}`
    session.observe('OPEN-13', answer, [limited])
    return
  }
  claim(
    'V3-CHAT-07',
    () => {
      expectAccepted(limited, 'GET /chat with limit')
      const body = answerJson(limited)
      const listedIds = ids.filter((id) => contains(body, id))
      expect(
        listedIds.length,
        `chats of this run on a page with limit ${query.limit}`,
      ).toBeLessThanOrEqual(query.limit)
      // Those of others, which another scenario has made meanwhile, stand in the same list.
      expect(
        listedChatIds(body, ids, ...found).size,
        `chats on a page with limit ${query.limit}`,
      ).toBeLessThanOrEqual(query.limit)
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
  for (const page of walk.pages.slice(1)) {
    const count = ids.filter((id) => contains(answerJson(page), id)).length
    const what = `chats of this run on a further page with limit ${query.limit}`
    claim('V3-CHAT-07', () => expect(count, what).toBeLessThanOrEqual(query.limit), page)
  }
  claim(
    'V3-CHAT-08',
    () => expect(missing, 'chats that no page shows').toEqual([]),
    ...walk.pages.slice(0, 5),
  )
  if (query.search === undefined || missing.length > 0) return
  // Nothing changes meanwhile: one walk to the end shows each of them once.
  const noneOfOurs = { id: session.uuid(), name: session.name(), created: limited }
  const once = await chats.walkOnce(query, [noneOfOurs])
  if (!once.complete) return
  const counts = ids.map((id) => once.pagesWith(id).length)
  claim(
    'V3-CHAT-08',
    () => expect(counts, 'pages that show each of the chats').toEqual(ids.map(() => 1)),
    ...once.pages.slice(0, 5),
  )
}
