import { isDeepStrictEqual } from 'node:util'
import {
  assume,
  type Chat,
  type Claim,
  covers,
  describe,
  describeShape,
  type Exchange,
  everyItemShown,
  expect,
  expectAccepted,
  type HistoryRow,
  type HistoryWalk,
  historyCursor,
  historyRows,
  inputRows,
  inputText,
  isDeclined,
  type Scenario,
  statusText,
  test,
} from '../../../harness/conformance/scenario/index.ts'

/** Sections 4.3 and 8: the pages of a history. Long histories are filled by one generation. */
describe('v3: pages of the history', () => {
  test(
    'a page without limit MUST have 50 rows',
    covers(
      [
        // The judges check these for each page.
        ...(['V3-HIST-01', 'V3-HIST-02', 'V3-HIST-03', 'V3-HIST-04', 'V3-HIST-05'] as const),
        ...(['V3-HIST-07', 'V3-HIST-08', 'V3-HIST-09', 'V3-HIST-10'] as const),
        ...(['V3-HIST-11', 'V3-HIST-12'] as const),
      ],
      { requests: 66, generations: 1, chats: 1 },
    ),
    async ({ v3, claim, session, scenario }) => {
      const { chat, strays, claimOnce } = await fillHistory(scenario, many)
      const whole = await v3.waitForHistory(chat, (history) => history.length > many)
      const { rows, pages, lastCursor: end } = whole
      const [first] = pages
      if (rows.length <= 50) {
        const paged = await v3.walk(chat, 20)
        // Rows may have become visible meanwhile.
        const again = await v3.walk(chat)
        const count = expect(again.rows.length, 'rows of a walk that ends, without limit')
        const isWhole = () => count.toBeGreaterThanOrEqual(paged.rows.length)
        if (again.lastCursor === null) claim('V3-HIST-12', isWhole, ...again.pages, ...paged.pages)
      }
      const isShort = `the history shows ${rows.length} rows of ${many + 1}`
      assume(first && rows.length > 50, isShort, ...pages)
      const members = Object.keys(rows[0] ?? {}).sort()
      session.observe('OPEN-03', `members of a row: ${members.join(', ')}`, [first])
      session.observe('OPEN-03', `members of a page: ${describeShape(first)}`, [first])
      const last = pages.findLastIndex((page) => historyRows(page).length > 0)
      const what = 'rows of a page without limit'
      for (const [at, page] of pages.entries()) {
        const count = expect(historyRows(page).length, what)
        const isEnd = at > 0 && at >= last
        claim('V3-HIST-08', () => (isEnd ? count.toBeLessThanOrEqual(50) : count.toBe(50)), page)
      }
      if (historyRows(first).length < rows.length) {
        const what = 'cursor of a page before the last'
        claim('V3-HIST-12', () => expect(historyCursor(first), what).toBeTypeOf('string'), first)
      }
      claim('V3-HIST-11', () => expect(end, 'cursor of the last page').toBeNull(), ...pages)
      assume(inputRows(rows).length > 0, 'the history shows no items', ...pages)
      assume(strays(rows).length === 0 || everyItemShown(rows), hidden, ...pages)
      claimOnce(whole, 'without limit')
      for (const limit of [9, 10, 11, 20, 30, 51]) {
        claimOnce(await walkWith(scenario, chat, limit), `with limit ${limit}`)
      }
    },
  )

  test(
    'pages of any size MUST show every row once, and SHOULD show them in one order',
    covers(
      [
        ...(['V3-HIST-07', 'V3-HIST-09', 'V3-HIST-10', 'V3-HIST-11', 'V3-HIST-12'] as const),
        'V3-HIST-15',
      ],
      { requests: 54, generations: 1, chats: 1 },
    ),
    async ({ v3, claim, scenario }) => {
      const count = 13
      const { chat, strays, claimOnce } = await fillHistory(scenario, count)
      const whole = await v3.waitForHistory(chat, (history) => history.length > count + 1)
      await claimNextPages(scenario, chat)
      const orders: { items: readonly unknown[]; page: Exchange }[] = []
      for (const limit of [1, 2, 3, 7, 50]) {
        const walk = await walkWith(scenario, chat, limit)
        const { rows, pages } = walk
        claimCursors(claim, walk, whole, limit)
        const [page] = pages
        if (page === undefined || inputRows(whole.rows).length === 0) continue
        assume(strays(rows).length === 0 || everyItemShown(rows), hidden, ...pages)
        claimOnce(walk, `with limit ${limit}`, whole)
        // Rows may be shown late.
        const isKnown = (item: unknown) =>
          item != null && whole.rows.some((one) => isDeepStrictEqual(one.item, item))
        const items = rows.map(({ item }) => item).filter(isKnown)
        if (!orders.some((one) => isDeepStrictEqual(one.items, items))) orders.push({ items, page })
      }
      assume(orders.length > 0, 'the history shows no items', ...whole.pages)
      const what = 'different orders of the rows'
      const evidence = orders.map(({ page }) => page)
      claim('V3-HIST-15', () => expect(orders.length, what).toBe(1), ...evidence)
    },
  )

  test(
    'rows that are added during paging MUST NOT hide another row, and SHOULD NOT repeat one',
    covers(['V3-HIST-13', 'V3-HIST-14'], { requests: 19, generations: 3, chats: 1 }),
    async ({ v3, claim, session, prompts, scenario }) => {
      const count = 9
      const { chat, nonce } = await fillHistory(scenario, count)
      await v3.waitForHistory(chat, (history) => history.length > count)

      let visited = 0
      const { rows, pages } = await v3.walk(chat, 2, async () => {
        visited += 1
        // The newest rows are not notes, so added rows must push notes to another page.
        if (visited < 2 || visited > 3) return
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
/** An input of as many items is not divided. */
const fewItems = 16

const hidden = 'some rows have no item, which is legal but makes them indistinguishable'

/** Fills a history with numbered notes; `strays` returns those that a walk did not visit exactly once. */
async function fillHistory({ v3, claim, session, prompts }: Scenario, count: number) {
  const chat = await v3.createChat()
  const nonce = session.nonce()
  const notes = numbers(count).map((at) => inputText(prompts.note(mark(nonce, at))))
  const stored = await store([...notes, inputText(prompts.brief())])
  const strays = (rows: readonly HistoryRow[]) =>
    numbers(count).flatMap((at) => {
      const visits = inputRows(rows, mark(nonce, at)).length
      return visits === 1 ? [] : [`note ${at}: ${visits} times`]
    })
  return { chat, nonce, strays, claimOnce }

  /** V3-HIST-10, unless no note is shown as it was sent; rows without items cannot be distinguished. */
  function claimOnce({ rows, pages }: HistoryWalk, under: string, whole?: HistoryWalk): void {
    const strayed = strays(rows)
    const minRows = whole?.rows.length ?? 0
    if (strayed.length > 0 && !everyItemShown(rows)) return
    if (inputRows(rows, nonce).length === 0) {
      const areShown = () => expect(strayed, 'inputs that the history does not show').toEqual([])
      return void claim('V3-HIST-07', areShown, stored, ...pages)
    }
    const isOnce = () => {
      expect(strayed, `rows lost or repeated ${under}`).toEqual([])
      expect(rows.length, `rows of a walk ${under}`).toBeGreaterThanOrEqual(minRows)
    }
    claim('V3-HIST-10', isOnce, ...pages, ...(whole?.pages ?? []))
  }

  /** The number of items of an input may be limited. */
  async function store(items: readonly unknown[]): Promise<Exchange> {
    const body = v3.generateBody(chat, items)
    if (items.length <= fewItems) return v3.generateOk(body)
    const whole = await v3.generate(body, { role: 'arrange' })
    if (!isDeclined(whole)) return whole
    const middle = Math.ceil(items.length / 2)
    await store(items.slice(0, middle))
    return store(items.slice(middle))
  }
}

/** V3-HIST-11 and -12: a cursor is null only at the end. */
function claimCursors(claim: Claim, walk: HistoryWalk, whole: HistoryWalk, limit: number): void {
  const { rows, pages, lastCursor: end } = walk
  const left = whole.rows.length - rows.length
  if (pages.length === 1 && left > 0) {
    const what = `cursor with limit ${limit}, before ${left} more rows`
    claim('V3-HIST-12', () => expect(end, what).toBeTypeOf('string'), ...pages, ...whole.pages)
  }
  for (const page of pages.slice(0, -1)) {
    const what = `cursor with limit ${limit}`
    claim('V3-HIST-12', () => expect(historyCursor(page), what).toBeTypeOf('string'), page)
  }
  const what = `cursor at the end with limit ${limit}`
  claim('V3-HIST-11', () => expect(end, what).toBeNull(), ...pages.slice(-1))
}

/** A walk in pages of a size; a server may refuse a size, but not fail each time. */
async function walkWith({ v3, claim }: Scenario, chat: Chat, limit: number): Promise<HistoryWalk> {
  const first = await v3.history(chat, { limit })
  if (statusText(first) === '500')
    claim('V3-HIST-10', () => expectAccepted(first, `a page with limit ${limit}`), first)
  const walk = await v3.walk(chat, limit)
  for (const page of walk.pages) {
    const what = `rows of a page with limit ${limit}`
    const isWithin = () => expect(historyRows(page).length, what).toBeLessThanOrEqual(limit)
    claim('V3-HIST-09', isWithin, page)
  }
  return walk
}

/** V3-HIST-12: the cursor of a page leads to the next one, also from a page that is not the first. */
async function claimNextPages({ v3, claim }: Scenario, chat: Chat) {
  let page = await v3.history(chat, { limit: 1 })
  for (const _ of numbers(3)) {
    const [before, cursor] = [page, historyCursor(page)]
    if (typeof cursor !== 'string') return
    page = await v3.history(chat, { limit: 1, cursor })
    const [rows, next] = [historyRows(before), historyRows(page)]
    const isNext = () => {
      expectAccepted(page, 'a request with the cursor of a page')
      // Rows that do not show their items may be equal.
      if (rows.length > 0 && everyItemShown([...rows, ...next]))
        expect(next, 'rows of the next page').not.toEqual(rows)
    }
    claim('V3-HIST-12', isNext, page, before)
  }
}

/** Ends with a letter, so that note 1 is not found in note 10. */
const mark = (nonce: string, at: number) => `${nonce}-${at}z`

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)
