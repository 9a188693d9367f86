import {
  answerJson,
  type Chat,
  contains,
  coversAtDepth,
  describe,
  describeRow,
  describeShape,
  type Exchange,
  expect,
  type ListWalk,
  listedChatIds,
  plain,
  type Row,
  type Scenario,
  statusText,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import type { Caller } from '../../support/credentials.ts'
import { callerOf } from '../conditions/edits.ts'
import { claimLists } from './list-laws.ts'
import { cap, editsFor, type LawfulList, type Members, membersOf, rowsAt } from './members.ts'

/** Sections 2.5 and 4.3: the laws of a list hold for pages of any size, for any search and caller. */
describe('v3: laws of lists', () => {
  test(
    'the list of chats MUST show each chat once under every condition',
    coversAtDepth(
      [
        ...(['V3-CHAT-05', 'V3-CHAT-06', 'V3-CHAT-07', 'V3-CHAT-08', 'V3-CHAT-09'] as const),
        ...(['V3-FAV-01', 'V3-AUTH-05'] as const),
      ],
      (rows, depth) => ({
        requests: 8 * rowsAt({ depth, rows }) + (depth === 'quick' ? 142 : 170),
        chats: 44,
      }),
    ),
    async ({ v3, chats, session, depth, scenario }) => {
      const created: Chat[] = []
      const members = await membersOf(scenario, async (word, kind, caller) => {
        const made: Chat[] = []
        const count = kind === 'word' && caller.authorization === undefined ? manyChats : few
        while (made.length < count)
          made.push(await v3.createChat(caller, `${word} ${session.name()}`))
        created.push(...made)
        return made.map(({ id }) => id)
      })
      const favorites = new Map<string | undefined, readonly string[]>()
      for (const caller of members.callers) {
        const chosen = created.filter(({ id }) => members.firstOf(caller).includes(id))
        const list = await addFavorites(scenario, chosen, caller)
        const visible = chosen.map(({ id }) => id).filter((id) => contains(list.body, id))
        favorites.set(caller.authorization, visible)
        // Under both of its names, a search finds it.
        const renamed = members.of(caller, 'word').at(-1)
        const name = `${members.words.word} ${session.name()}`
        if (renamed) await chats.rename(renamed, name, { role: 'probe', ...caller })
      }
      await claimLists(scenario, members, listOf(scenario, members, favorites))
      if (depth === 'quick') return
      // More than twenty with those before; the last one has another name.
      const many = members.of({}, 'word').slice(1, -1)
      const chosen = created.filter(({ id }) => many.includes(id))
      await addFavorites(scenario, chosen, {})
    },
  )
})

/** Adds chats to the favorites, whose list shows them. */
async function addFavorites(
  { chats, claim }: Scenario,
  chosen: readonly Chat[],
  caller: Caller,
): Promise<ListWalk> {
  const added: Exchange[] = []
  for (const { id } of chosen)
    added.push(await chats.addFavorite(id, { role: 'arrange', ...caller }))
  const missingOf = (page: ListWalk) => chosen.filter((chat) => !chats.mentions(page, chat))
  const isAdded = added.every(succeeded)
  const list = await chats.poll(
    () => chats.readFavorites(caller),
    (_, page) => !isAdded || missingOf(page).length === 0,
  )
  const twice = list.pages.flatMap(chats.shownTwice)
  const once = () => expect(twice, 'favorites that a page shows twice').toEqual([])
  if (twice.length > 0) claim('V3-FAV-01', once, list)
  // What is not on the first page may be on one that cannot be found.
  if (list.isWhole && isAdded) {
    const missing = missingOf(list).map(({ id }) => id)
    const all = () => expect(missing, 'favorites that their list lacks').toEqual([])
    claim('V3-FAV-01', all, ...added, list)
  }
  return list
}

function listOf(
  { chats, claim, session, profile }: Scenario,
  members: Members,
  favorites: ReadonlyMap<string | undefined, readonly string[]>,
): LawfulList<'v3.chats'> {
  const favoritesFor = (row: Row) => favorites.get(callerOf(profile, row).authorization) ?? []
  // The type of `exclude_favorites` is a guess until a search without the favorites has shown that it is right.
  let isUnderstood = profile.requests.excludeFavorites !== undefined
  return {
    operation: 'v3.chats',
    edits: {
      ...editsFor(members),
      exclude_favorites: { given: { exclude_favorites: chats.excludeFavorites } },
    },
    guesses: isUnderstood ? [] : ['exclude_favorites'],
    shownByLaws: ['exclude_favorites'],
    always: [
      { search: 'word', exclude_favorites: 'given' },
      // Its second page follows a page of more than 20 chats.
      { search: 'word', limit: '21' },
    ],
    requirements: {
      listed: 'V3-CHAT-05',
      found: 'V3-CHAT-06',
      limited: 'V3-CHAT-07',
      paged: 'V3-CHAT-08',
    },
    leavesOut(row) {
      if (row['exclude_favorites'] === plain) return undefined
      return { texts: favoritesFor(row), requirement: 'V3-CHAT-09' }
    },
    list: (query, caller) => chats.list(query, { role: 'act', ...caller }),
    read(query, ids, caller) {
      if (query['search'] === undefined && caller.authorization === undefined) {
        const sought = ids.map((id) => ({ id }))
        return chats.follow(query, sought)
      }
      return chats.poll(
        () => chats.readList(query, cap(query), caller),
        (list) => ids.every((id) => contains(list, id)),
      )
    },
    sizeOf: (page, ids) => listedChatIds(answerJson(page), ids).size,
    bodyOf: chats.bodyOfPage,
    shows: (page, id) => contains(chats.bodyOfPage(page), id),
    also({ row, answer }, walk) {
      if (row['search'] === plain && row['limit'] === plain) {
        const shape = `GET /chat: ${statusText(answer)} ${describeShape(answer)}`
        session.observe('OPEN-13', shape, [answer])
      }
      if (row['exclude_favorites'] === plain) return
      const remaining = favoritesFor(row).filter((id) => walk.pagesWith(id).length > 0)
      // Small pages of the whole list are read in part.
      isUnderstood ||= row['search'] !== plain && remaining.length === 0
      if (!isUnderstood) return session.markUndecided('unproven', ['V3-CHAT-09'], wrongGuess)
      const what = `favorites that the list shows (${describeRow(row)})`
      claim('V3-CHAT-09', () => expect(remaining, what).toEqual([]), walk)
    },
  }
}

const wrongGuess =
  'exclude_favorites: true, whose type is a guess, was not understood: set requests.excludeFavorites'

/** Pages of more than 20 rows need more than 20 elements. */
const manyChats = 23
const few = 3
