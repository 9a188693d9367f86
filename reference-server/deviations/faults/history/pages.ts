/** Faults of the pages of a history (sections 4.3 and 8). */
import type { Patch } from '../../../parts.ts'
import type { HistoryRow, HistoryStore, Page } from '../../../store/types.ts'
import {
  v3History,
  type Json,
  toObject,
  onHistory,
  onRequest,
  rejectRequests,
  setField,
} from '../../seams.ts'
import type { Fault } from '../../types.ts'
import { fault } from '../fault.ts'

type Reads = HistoryStore['page']

const pages = (change: (usual: Reads) => Reads): Patch =>
  onHistory(({ page }) => ({ page: change(page) }))

/** Where a page says that the next one begins. */
const goesOn = (to: (page: Page<HistoryRow>, after: number, limit: number) => number | null) =>
  pages((usual) => async (chatId, after, limit) => {
    const page = await usual(chatId, after, limit)
    return { ...page, next: to(page, after, limit) }
  })

const asked = (change: (query: Json) => Json): Patch =>
  onRequest(v3History, (call) => ({ ...call, query: change(toObject(call.query)) }))

const limits = (change: (limit: number) => number): Patch =>
  asked((query) =>
    query['limit'] === undefined ? query : { ...query, limit: change(Number(query['limit'])) },
  )

const sizes: readonly Fault[] = [
  ...[20, 49, 51, 100].map((rows) =>
    fault(
      `v3-history-default-${rows}`,
      'V3-HIST-08',
      `Without limit a page has ${rows} rows.`,
      asked((query) => ({ limit: rows, ...query })),
    ),
  ),
  fault(
    'v3-history-limit-ignored',
    'V3-HIST-09',
    'limit changes nothing.',
    asked(({ limit: _, ...query }) => query),
  ),
  fault(
    'v3-history-limit-off-by-one',
    'V3-HIST-09',
    'A page has one row more than limit.',
    limits((limit) => limit + 1),
  ),
  fault(
    'v3-history-limit-at-least-5',
    'V3-HIST-09',
    'A smaller limit than 5 is taken for 5.',
    limits((limit) => Math.max(limit, 5)),
  ),
  fault(
    'v3-history-limit-1-is-2',
    'V3-HIST-09',
    'A limit of 1 is taken for 2.',
    limits((limit) => Math.max(limit, 2)),
  ),
  fault(
    'v3-history-limit-in-tens',
    'V3-HIST-09',
    'A limit above 5 is rounded up to tens.',
    limits((limit) => (limit > 5 ? Math.ceil(limit / 10) * 10 : limit)),
  ),
]

const walks: readonly Fault[] = [
  fault(
    'v3-history-loses-a-row-at-each-border',
    'V3-HIST-10',
    'A page begins one row too late.',
    goesOn(({ next }) => (next === null ? null : next + 1)),
  ),
  fault(
    'v3-history-repeats-a-row-at-each-border',
    'V3-HIST-10',
    'A page begins with the last row of the one before.',
    goesOn(({ next }, _after, limit) => (next !== null && limit > 1 ? next - 1 : next)),
  ),
  fault(
    'v3-history-ends-after-two-pages',
    'V3-HIST-10',
    'The second page says that it is the last.',
    goesOn(({ next }, after) => (after > 0 ? null : next)),
  ),
  fault(
    'v3-history-loses-a-last-row-alone',
    'V3-HIST-10',
    'A last row that would have a page of its own is lost.',
    pages((usual) => async (chatId, after, limit) => {
      const page = await usual(chatId, after, limit)
      const rest = page.next === null ? [] : (await usual(chatId, page.next, 2)).rows
      return { ...page, next: rest.length === 1 ? null : page.next }
    }),
  ),
  fault(
    'v3-history-cursor-of-a-moment',
    'V3-HIST-10',
    'A page begins behind the moment of the last row, though several rows are of one moment.',
    pages((usual) => async (chatId, after, limit) => {
      const page = await usual(chatId, after, limit)
      const { rows } = await usual(chatId, 0, Number.POSITIVE_INFINITY)
      const last = page.rows.at(-1)?.createdAt ?? 0
      const behind = rows.findIndex(({ createdAt }) => createdAt > last)
      return { ...page, next: page.next && (behind < 0 ? rows.length : behind) }
    }),
  ),
  fault(
    'v3-history-cursor-missing-at-the-end',
    'V3-HIST-11',
    'The last page has no cursor.',
    atTheEnd(undefined),
  ),
  fault(
    'v3-history-cursor-empty-at-the-end',
    'V3-HIST-11',
    'The cursor of the last page is an empty text.',
    atTheEnd(''),
  ),
  fault(
    'v3-history-cursor-false-at-the-end',
    'V3-HIST-11',
    'The cursor of the last page is false.',
    atTheEnd(false),
  ),
  fault(
    'v3-history-cursor-never-null',
    'V3-HIST-11',
    'The last page, too, has a cursor; it leads to an empty page with the same cursor.',
    goesOn(({ next, rows }, after) => next ?? Math.max(1, after + rows.length)),
  ),
  fault(
    'v3-history-one-page-only',
    'V3-HIST-12',
    'The first page says that it is the last.',
    goesOn(() => null),
  ),
  fault(
    'v3-history-cursor-number',
    'V3-HIST-12',
    'The cursor is a number.',
    setField(v3History, 'pagination.cursor', (cursor: unknown) => cursor && 50),
  ),
  fault(
    'v3-history-cursor-refused',
    'V3-HIST-12',
    'The cursor that a page gave is refused.',
    rejectRequests(v3History, (_body, { query }) => 'cursor' in toObject(query)),
  ),
  fault(
    'v3-history-cursor-ignored',
    'V3-HIST-12',
    'Whatever the cursor, the first page is shown.',
    asked(({ cursor: _, ...query }) => query),
  ),
]

const growth: readonly Fault[] = [
  fault(
    'v3-history-counts-from-the-end',
    'V3-HIST-13',
    'A cursor says how many rows are left, so that new rows move the page on.',
    pages((usual) => async (chatId, left, limit) => {
      const { rows } = await usual(chatId, 0, Number.POSITIVE_INFINITY)
      const after = left === 0 ? 0 : Math.max(0, rows.length - left)
      const page = rows.slice(after, after + limit)
      const next = rows.length - after - page.length
      return { rows: page, next: next === 0 ? null : next }
    }),
  ),
  fault(
    'v3-history-newest-first-by-offset',
    'V3-HIST-14',
    'The newest row comes first, and a cursor counts rows from there.',
    pages((usual) => async (chatId, after, limit) => {
      const { rows } = await usual(chatId, 0, Number.POSITIVE_INFINITY)
      const page = rows.toReversed().slice(after, after + limit)
      const end = after + page.length
      return { rows: page, next: end < rows.length ? end : null }
    }),
  ),
  fault(
    'v3-history-order-of-each-page',
    'V3-HIST-15',
    'A page of an odd limit shows its rows the other way round.',
    pages((usual) => async (chatId, after, limit) => {
      const page = await usual(chatId, after, limit)
      return { ...page, rows: limit % 2 === 1 ? page.rows.toReversed() : page.rows }
    }),
  ),
]

export const historyPageFaults: readonly Fault[] = [...sizes, ...walks, ...growth]

function atTheEnd(cursor: unknown): Patch {
  return setField(v3History, 'pagination.cursor', (usual: unknown) => usual ?? cursor)
}
