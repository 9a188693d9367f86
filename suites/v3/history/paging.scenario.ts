import {
  assume,
  type Claim,
  covers,
  describe,
  type Exchange,
  everyItemShown,
  expect,
  expectAccepted,
  type HistoryRow,
  historyCursor,
  historyRows,
  inputRows,
  inputText,
  type Prompts,
  test,
} from '../../../harness/conformance/scenario/index.ts'

/** Sections 4.3 and 8: the pages of a history. Long histories are filled by one generation. */
describe('v3: pages of the history', () => {
  const numbered = (prompts: Prompts, nonce: string, count: number) =>
    Array.from({ length: count }, (_, at) => inputText(prompts.note(mark(nonce, at))))

  test(
    'without limit a page has 50 rows',
    covers(['V3-HIST-08', 'V3-HIST-09', 'V3-HIST-10', 'V3-HIST-11', 'V3-HIST-12'], {
      requests: 60,
      generations: 1,
      chats: 1,
    }),
    async ({ v3, claim, session, prompts }) => {
      const chat = await v3.createChat()
      const nonce = session.nonce()
      await v3.generateOk(
        v3.generateBody(chat, [...numbered(prompts, nonce, many), inputText(prompts.brief())]),
      )
      const {
        rows,
        pages,
        lastCursor: end,
      } = await v3.waitForHistory(chat, (history) => history.length > many)
      const [first] = pages
      assume(
        first && rows.length > 50,
        `the history shows ${rows.length} rows of ${many + 1}`,
        ...pages,
      )
      claim(
        'V3-HIST-08',
        () => expect(historyRows(first), 'rows of a page without limit').toHaveLength(50),
        first,
      )
      const last = pages.findLastIndex((page) => historyRows(page).length > 0)
      for (const page of pages.slice(1, last)) {
        const what = 'rows of a later page without limit'
        claim('V3-HIST-08', () => expect(historyRows(page), what).toHaveLength(50), page)
      }
      if (historyRows(first).length < rows.length) {
        claim(
          'V3-HIST-12',
          () =>
            expect(historyCursor(first), 'cursor of a page before the last').toBeTypeOf('string'),
          first,
        )
      }
      claim('V3-HIST-11', () => expect(end, 'cursor of the last page').toBeNull(), ...pages)
      assume(inputRows(rows).length > 0, 'the history shows no items', ...pages)
      const strayed = strays(rows, nonce, many)
      assume(strayed.length === 0 || everyItemShown(rows), hidden, ...pages)
      claim('V3-HIST-10', () => expect(strayed, 'rows lost or repeated').toEqual([]), ...pages)

      for (const limit of [9, 10, 11, 20, 30, 51]) {
        const walk = await v3.walk(chat, limit)
        claimSizes(claim, walk.pages, limit)
        const missed = strays(walk.rows, nonce, many)
        if (missed.length > 0 && !everyItemShown(walk.rows)) continue
        claim(
          'V3-HIST-10',
          () => expect(missed, `rows lost or repeated with limit ${limit}`).toEqual([]),
          ...walk.pages,
        )
      }
    },
  )

  test(
    'paging returns every row once',
    covers(['V3-HIST-09', 'V3-HIST-10', 'V3-HIST-11', 'V3-HIST-12', 'V3-HIST-15'], {
      requests: 47,
      generations: 1,
      chats: 1,
    }),
    async ({ v3, claim, session, prompts }) => {
      const count = 13
      const chat = await v3.createChat()
      const nonce = session.nonce()
      await v3.generateOk(
        v3.generateBody(chat, [...numbered(prompts, nonce, count), inputText(prompts.brief())]),
      )
      const whole = await v3.waitForHistory(chat, (history) => history.length > count + 1)
      if (inputRows(whole.rows).length === 0) {
        session.markUndecided(
          'inconclusive',
          ['V3-HIST-10', 'V3-HIST-15'],
          'the history shows no items',
        )
      }

      const start = await v3.history(chat, { limit: 1 })
      const cursor = historyCursor(start)
      if (typeof cursor === 'string') {
        const next = await v3.history(chat, { limit: 1, cursor })
        claim('V3-HIST-12', () => expectNextPage(start, next), next, start)
      }

      const orders: string[] = []
      let evidence: readonly Exchange[] = []
      for (const limit of [1, 2, 3, 7, 50]) {
        const { rows, pages, lastCursor: end } = await v3.walk(chat, limit)
        claimSizes(claim, pages, limit)
        if (pages.length === 1 && rows.length < whole.rows.length) {
          const left = whole.rows.length - rows.length
          claim(
            'V3-HIST-12',
            () =>
              expect(end, `cursor with limit ${limit}, before ${left} more rows`).toBeTypeOf(
                'string',
              ),
            ...pages,
            ...whole.pages,
          )
        }
        for (const page of pages.slice(0, -1)) {
          claim(
            'V3-HIST-12',
            () => expect(historyCursor(page), `cursor with limit ${limit}`).toBeTypeOf('string'),
            page,
          )
        }
        claim(
          'V3-HIST-11',
          () => expect(end, `cursor at the end with limit ${limit}`).toBeNull(),
          ...pages.slice(-1),
        )
        if (inputRows(whole.rows).length === 0) continue
        const strayed = strays(rows, nonce, count)
        assume(strayed.length === 0 || everyItemShown(rows), hidden, ...pages)
        claim(
          'V3-HIST-10',
          () => {
            expect(strayed, `rows lost or repeated with limit ${limit}`).toEqual([])
            expect(rows.length, `rows of a walk with limit ${limit}`).toBeGreaterThanOrEqual(
              whole.rows.length,
            )
          },
          ...pages,
          ...whole.pages,
        )
        orders.push(JSON.stringify(rows.map(({ item }) => inOneOrder(item ?? null))))
        evidence = [...evidence, ...pages.slice(0, 1)]
      }
      assume(orders.length > 0, 'the history shows no items', ...whole.pages)
      claim(
        'V3-HIST-15',
        () => expect(new Set(orders).size, 'different orders of the rows').toBe(1),
        ...evidence,
      )
    },
  )

  test(
    'rows added during paging hide no other row',
    covers(['V3-HIST-13', 'V3-HIST-14'], { requests: 20, generations: 4, chats: 1 }),
    async ({ v3, claim, session, prompts }) => {
      const count = 9
      const chat = await v3.createChat()
      const nonce = session.nonce()
      await v3.generateOk(
        v3.generateBody(chat, [...numbered(prompts, nonce, count), inputText(prompts.brief())]),
      )
      await v3.waitForHistory(chat, (history) => history.length > count)

      let visited = 0
      const { rows, pages } = await v3.walk(chat, 2, async () => {
        visited += 1
        // The newest rows are not among the notes: what is added must push notes to another page.
        if (visited < 2 || visited > 4) return
        await v3.generateOk(v3.generateBody(chat, prompts.otherBrief(session.nonce())))
      })
      assume(inputRows(rows).length > 0, 'the history shows no items', ...pages)
      const texts = rows.map((row) => JSON.stringify(row))
      const lost = numbers(count).filter(
        (at) => !texts.some((row) => row.includes(mark(nonce, at))),
      )
      const repeated = numbers(count).filter((at) => inputRows(rows, mark(nonce, at)).length > 1)
      assume(lost.length === 0 || everyItemShown(rows), hidden, ...pages)
      claim('V3-HIST-13', () => expect(lost, 'notes lost').toEqual([]), ...pages)
      claim('V3-HIST-14', () => expect(repeated, 'notes repeated').toEqual([]), ...pages)
    },
  )
})

/** More than two pages of the default size. */
const many = 110

const hidden = 'some rows show no item, which is legal, and cannot be told apart'

function claimSizes(claim: Claim, pages: readonly Exchange[], limit: number): void {
  for (const page of pages) {
    const what = `rows of a page with limit ${limit}`
    const isWithin = () => expect(historyRows(page).length, what).toBeLessThanOrEqual(limit)
    claim('V3-HIST-09', isWithin, page)
  }
}

/** Taken, and another page than the one that gave the cursor, as far as rows show their items. */
function expectNextPage(page: Exchange, next: Exchange): void {
  expectAccepted(next, 'a request with the cursor of a page')
  const [before, after] = [historyRows(page), historyRows(next)]
  if (before.length === 0 || !everyItemShown([...before, ...after])) return
  expect(after, 'rows of the next page').not.toEqual(before)
}

/** Closed by a letter, so that note 1 is not found in note 10. */
function mark(nonce: string, at: number): string {
  return `${nonce}-${at}z`
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at)
}

/** The notes that a walk did not visit exactly once. */
function strays(rows: readonly HistoryRow[], nonce: string, count: number): string[] {
  return numbers(count).flatMap((at) => {
    const visits = inputRows(rows, mark(nonce, at)).length
    return visits === 1 ? [] : [`note ${at}: ${visits} times`]
  })
}

/** Items whose members come in another order are the same. */
function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneOrder)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members.map(([name, inner]) => [name, inOneOrder(inner)]))
}
