import {
  answerJson,
  type Chat,
  contains,
  coversAtDepth,
  describe,
  describeShape,
  type Exchange,
  expect,
  listedChatIds,
  type Row,
  statusText,
  succeeded,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { set } from '../edits.ts'
import { describeRow, plain } from '../trials.ts'
import { cap, claimLists, rowsAt } from './list-laws.ts'
import { editsFor, membersOf } from './members.ts'

/** Sections 2.5 and 4.3: the laws of a list hold for pages of any size, for any search and caller. */
describe('v3: laws of lists', () => {
  test(
    'the list of chats MUST show each chat once under every condition',
    coversAtDepth(
      [
        'V3-CHAT-05',
        'V3-CHAT-06',
        'V3-CHAT-07',
        'V3-CHAT-08',
        'V3-CHAT-09',
        'V3-FAV-01',
        'V3-AUTH-05',
      ],
      (rows, depth) => ({ requests: 8 * rowsAt({ depth, rows }) + 140, chats: 44 }),
    ),
    async ({ v3, chats, claim, session, profile, coverage }) => {
      const chatsById = new Map<string, Chat>()
      const members = await membersOf({ session, chats, profile }, async (word, kind, caller) => {
        const made: Chat[] = []
        const count = kind === 'word' && caller.authorization === undefined ? manyChats : few
        while (made.length < count)
          made.push(await v3.createChat(caller, `${word} ${session.name()}`))
        for (const chat of made) chatsById.set(chat.id, chat)
        return made.map(({ id }) => id)
      })
      const favorites = new Map<boolean, readonly string[]>()
      for (const isSecond of members.hasSecond ? [false, true] : [false]) {
        const caller = members.callerOf(isSecond)
        const ids = members.firstOf(isSecond)
        const added: Exchange[] = []
        for (const id of ids)
          added.push(await chats.addFavorite(id, { role: 'arrange', ...caller }))
        const missingOf = (page: Parameters<typeof chats.mentions>[0]) =>
          ids.filter((id) => {
            const chat = chatsById.get(id)
            return chat !== undefined && !chats.mentions(page, chat)
          })
        const list = await chats.poll(
          () => chats.readFavorites(caller),
          (_, page) => missingOf(page).length === 0,
        )
        // What is not on the first page may be on one that cannot be found.
        if (list.isWhole && added.every(succeeded)) {
          const all = () => expect(missingOf(list), 'favorites that their list lacks').toEqual([])
          claim('V3-FAV-01', all, ...added, ...list.pages.slice(0, 3))
        }
        favorites.set(
          isSecond,
          ids.filter((id) => contains(list.body, id)),
        )
      }
      const favoritesOf = (row: Row) => favorites.get(row['caller'] === 'second') ?? []
      let isUnderstood = profile.requests.excludeFavorites !== undefined
      await claimLists({ claim, session, coverage }, members, {
        operation: 'v3.chats',
        edits: {
          ...editsFor(members),
          exclude_favorites: { given: set({ exclude_favorites: chats.excludeFavorites }) },
        },
        guesses: isUnderstood ? [] : ['exclude_favorites'],
        shownByLaws: ['exclude_favorites'],
        always: [{ search: 'word', exclude_favorites: 'given' }],
        leavesOut: (row) =>
          row['exclude_favorites'] === plain
            ? undefined
            : { texts: favoritesOf(row), requirement: 'V3-CHAT-09' },
        requirements: {
          listed: 'V3-CHAT-05',
          found: 'V3-CHAT-06',
          limited: 'V3-CHAT-07',
          paged: 'V3-CHAT-08',
        },
        list: (query, options) => chats.list(query, { role: 'act', ...options }),
        read: (query, ids, { authorization }) =>
          query['search'] === undefined && authorization === undefined
            ? chats.follow(
                query,
                ids.map((id) => ({ id })),
              )
            : chats.poll(
                () => chats.readList(query, cap(query), authorization ? { authorization } : {}),
                (list) => ids.every((id) => contains(list, id)),
              ),
        sizeOf: (page, ids) => listedChatIds(answerJson(page), ids).size,
        shows: (page, id) => contains(answerJson(page), id),
        also({ row, answer }, walk) {
          if (row['search'] === plain && row['limit'] === plain) {
            const shape = `GET /chat: ${statusText(answer)} ${describeShape(answer)}`
            session.observe('OPEN-13', shape, [answer])
          }
          if (row['exclude_favorites'] === plain) return
          const remaining = favoritesOf(row).filter((id) => walk.pagesWith(id).length > 0)
          // Small pages of the whole list are read in part.
          isUnderstood ||= row['search'] !== plain && remaining.length === 0
          if (!isUnderstood) return session.markUndecided('unproven', ['V3-CHAT-09'], wrongGuess)
          const what = `favorites that the list shows (${describeRow(row)})`
          claim('V3-CHAT-09', () => expect(remaining, what).toEqual([]), ...walk.pages.slice(0, 3))
        },
      })
    },
  )
})

const wrongGuess =
  'exclude_favorites: true, whose type is a guess, was not understood: set requests.excludeFavorites'

/** Pages of more than 20 rows need more than 20 elements. */
const manyChats = 23
const few = 3
