import {
  answerJson,
  assume,
  type Chat,
  contains,
  coversAtDepth,
  describe,
  type Exchange,
  expect,
  type ListWalk,
  listedChatIds,
  type Session,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { buildTextFile } from '../support/test-data.ts'
import { set } from './edits.ts'
import { type Body, describeRow, plain, type Trial, tryConditions } from './trials.ts'

/** Sections 2.5 and 4.3: what holds of a list holds on pages of any size, for any search and caller. */
describe('v3: laws of lists', () => {
  test(
    'the list of chats shows each chat once under every condition',
    coversAtDepth(
      ['V3-CHAT-05', 'V3-CHAT-06', 'V3-CHAT-07', 'V3-CHAT-08', 'V3-AUTH-05'],
      (rows) => ({ requests: 8 * rows + 50, chats: 24 }),
    ),
    async ({ v3, chats, claim, session, profile, coverage }) => {
      const { otherKey } = profile
      const as = (isSecond: boolean) => (isSecond ? { authorization: `Bearer ${otherKey}` } : {})
      const words = kindsOf({ nonce: () => session.nonce() })
      const made = new Map<string, readonly Chat[]>()
      for (const isSecond of otherKey === undefined ? [false] : [false, true]) {
        for (const [kind, word] of Object.entries(words)) {
          const named: Chat[] = []
          while (named.length < chatsOfAKind) {
            named.push(await v3.createChat(as(isSecond), `${word} ${session.name()}`))
          }
          made.set(`${kind} ${isSecond}`, named)
        }
      }
      await tryConditions(
        { claim, session, coverage: { ...coverage, rows: Math.min(coverage.rows, maxRows) } },
        {
          operation: 'v3.chats',
          base: () => ({}),
          edits: {
            search: searchEdits(words),
            limit: limitEdits,
            caller: { second: otherKey === undefined ? undefined : (query) => query },
          },
          send: (query, row) =>
            chats.list(queryOf(query), { role: 'act', ...as(row['caller'] === 'second') }),
          laws: [isPaged],
        },
      )

      async function isPaged({ row, body, answer }: Trial): Promise<void> {
        const isSecond = row['caller'] === 'second'
        const sought =
          made.get(`${row['search'] === plain ? 'word' : row['search']} ${isSecond}`) ?? []
        const ids = sought.map(({ id }) => id)
        const limit = Number(body['limit'] ?? Number.POSITIVE_INFINITY)
        const walk = await chats.poll(
          () => chats.readList(queryOf(body), undefined, as(isSecond)),
          (list) => ids.every((id) => contains(list, id)),
        )
        claimPages({ claim }, { row, limit, answer }, walk, (page) => ({
          ours: ids.filter((id) => contains(answerJson(page), id)).length,
          all: listedChatIds(answerJson(page), ids).size,
        }))
        if (!walk.complete || walk.pages.some((page) => !succeeded(page))) return
        // Other scenarios change the whole list meanwhile; pages are for another scenario.
        if (row['search'] === plain) return
        const missing = ids.filter((id) => walk.pagesWith(id).length === 0)
        const what = `chats that the list does not show (${describeRow(row)})`
        const isOnePage = row['limit'] === plain
        if (isOnePage) claim('V3-CHAT-06', () => expect(missing, what).toEqual([]), ...walk.pages)
        const repeated = ids.filter((id) => walk.pagesWith(id).length > 1)
        const twice = `chats on several pages (${describeRow(row)})`
        claim('V3-CHAT-08', () => expect(repeated, twice).toEqual([]), ...walk.pages.slice(0, 5))
      }
    },
  )

  test(
    'the list of attachments shows each file once under every condition',
    coversAtDepth(
      ['V3-ATT-06', 'V3-ATT-07', 'V3-ATT-08', 'V3-ATT-09', 'V3-ATT-10', 'V3-ATT-11', 'V3-AUTH-05'],
      (rows) => ({ requests: 8 * rows + 30, uploads: 16, chats: 1 }),
    ),
    async ({ v3, chats, attachments, claim, session, profile, coverage }) => {
      const { otherKey } = profile
      const as = (isSecond: boolean) => (isSecond ? { authorization: `Bearer ${otherKey}` } : {})
      const words = kindsOf({ nonce: () => session.nonce() })
      const chat = await v3.createChat()
      const made = new Map<string, readonly string[]>()
      for (const isSecond of otherKey === undefined ? [false] : [false, true]) {
        for (const [kind, word] of Object.entries(words)) {
          const files = ['-a', '-b'].map((more) =>
            buildTextFile(session, word, `${more}${isSecond ? 2 : 1}`),
          )
          for (const file of files) {
            const place = isSecond ? undefined : chat.id
            const options = { role: 'arrange', ...as(isSecond) } as const
            const uploaded = await attachments.upload(file, place, options)
            assume(succeeded(uploaded), 'an upload was refused', uploaded)
          }
          made.set(
            `${kind} ${isSecond}`,
            files.map(({ name }) => name),
          )
        }
      }
      const canJoin = profile.requests.upload?.chatField !== undefined
      await tryConditions(
        { claim, session, coverage: { ...coverage, rows: Math.min(coverage.rows, maxRows) } },
        {
          operation: 'v3.attachments',
          base: () => ({}),
          edits: {
            search: searchEdits(words),
            limit: limitEdits,
            chat_id: { given: canJoin ? set({ chat_id: chat.id }) : undefined },
            caller: {
              // The chat is that of the first caller.
              second: otherKey === undefined ? undefined : ({ chat_id: _, ...query }) => query,
            },
          },
          send: (query, row) =>
            attachments.list(queryOf(query), { role: 'act', ...as(row['caller'] === 'second') }),
          laws: [isPaged],
        },
      )

      async function isPaged({ row, body, answer }: Trial): Promise<void> {
        const isSecond = row['caller'] === 'second'
        const kind = row['search'] === plain ? 'word' : row['search']
        const names = made.get(`${kind} ${isSecond}`) ?? []
        const foreign = made.get(`${kind} ${!isSecond}`) ?? []
        const limit = Number(body['limit'] ?? Number.POSITIVE_INFINITY)
        const walk = await chats.poll(
          () => attachments.walk(queryOf(body), { role: 'probe', ...as(isSecond) }),
          (_, list) => names.every((name) => list.pagesWith(name).length > 0),
        )
        const evidence = walk.pages.slice(0, 5)
        claimPages({ claim }, { row, limit, answer }, walk, (page) => {
          const ours = names.filter((name) => attachments.lists(page, name)).length
          return { ours, all: ours }
        })
        const leaks = foreign.filter((name) => walk.pagesWith(name).length > 0)
        const leak = `files of another caller (${describeRow(row)})`
        claim('V3-ATT-11', () => expect(leaks, leak).toEqual([]), ...evidence)
        if (!walk.complete || walk.pages.some((page) => !succeeded(page))) return
        const missing = names.filter((name) => walk.pagesWith(name).length === 0)
        const what = `files that the list does not show (${describeRow(row)})`
        const isSearched = row['search'] !== plain
        // Two conditions at once show nothing of either; pages are for another scenario.
        if (row['limit'] === plain && isSearched !== (body['chat_id'] !== undefined)) {
          const requirement = isSearched ? 'V3-ATT-08' : 'V3-ATT-07'
          claim(requirement, () => expect(missing, what).toEqual([]), ...evidence)
        }
        if (row['search'] === plain) return
        const repeated = names.filter((name) => walk.pagesWith(name).length > 1)
        const twice = `files on several pages (${describeRow(row)})`
        claim('V3-ATT-10', () => expect(repeated, twice).toEqual([]), ...evidence)
      }
    },
  )
})

const chatsOfAKind = 3

/** Covers all pairs of the few conditions of a list. */
const maxRows = 30

/** Words of kinds that careless code takes for something else; none of them is a part of another. */
function kindsOf({ nonce }: Pick<Session, 'nonce'>): Readonly<Record<Kind, string>> {
  const digits = [...nonce()].map((letter) => (letter.codePointAt(0) ?? 0) % 10).join('')
  return { word: nonce(), digits, 'beyond ASCII': `Größe${nonce()}` }
}

type Kind = 'word' | 'digits' | 'beyond ASCII'

function searchEdits(words: ReturnType<typeof kindsOf>) {
  return {
    word: set({ search: words.word }),
    digits: set({ search: words.digits }),
    'beyond ASCII': set({ search: words['beyond ASCII'] }),
  }
}

const limitEdits = {
  '1': set({ limit: 1 }),
  '2': set({ limit: 2 }),
  '10': set({ limit: 10 }),
  '11': set({ limit: 11 }),
  '20': set({ limit: 20 }),
  '50': set({ limit: 50 }),
}

function queryOf(query: Body): Readonly<Record<string, string | number>> {
  const entries = Object.entries(query)
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string | number] =>
      ['string', 'number'].includes(typeof entry[1]),
    ),
  )
}

interface Page {
  readonly ours: number
  readonly all: number
}

/** No page has more rows than its limit. */
function claimPages(
  { claim }: { readonly claim: Parameters<typeof tryConditions>[0]['claim'] },
  {
    row,
    limit,
    answer,
  }: { readonly row: Trial['row']; readonly limit: number; readonly answer: Exchange },
  walk: ListWalk,
  count: (page: Exchange) => Page,
): void {
  if (limit === Number.POSITIVE_INFINITY) return
  const requirement = answer.request.url.includes('/attachment') ? 'V3-ATT-09' : 'V3-CHAT-07'
  for (const page of [answer, ...walk.pages]) {
    const { ours, all } = count(page)
    const what = `rows of a page (${describeRow(row)})`
    claim(requirement, () => expect(Math.max(ours, all), what).toBeLessThanOrEqual(limit), page)
  }
}
