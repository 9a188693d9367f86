/** Faults of the pages of a history (sections 4.3 and 8). */
import type { Patch } from '../../../../services.ts'
import type { HistoryRow, HistoryStore, Page } from '../../../../store/types.ts'
import { type Json, toObject } from '../../../patches/json.ts'
import { setFields } from '../../../patches/replies.ts'
import { onRequest } from '../../../patches/requests.ts'
import { v3History } from '../../../patches/routes.ts'
import { onStore } from '../../../patches/services.ts'
import type { Fault } from '../../../table.ts'
import { faultTable } from '../../../table.ts'

type ReadPage = HistoryStore['page']
const editPages = (change: (original: ReadPage) => ReadPage): Patch =>
  onStore('history', ({ page }) => ({ page: change(page) }))

/** Changes the position to which the cursor of a page leads. */
const continueAt = (to: (page: Page<HistoryRow>, after: number, limit: number) => number | null) =>
  editPages((original) => async (chatId, after, limit) => {
    const page = await original(chatId, after, limit)
    return { ...page, next: to(page, after, limit) }
  })

const editQuery = (change: (query: Json) => Json): Patch =>
  onRequest(v3History, (call) => ({ ...call, query: change(toObject(call.query)) }))
export const historyPageFaults: readonly Fault[] = [
  ...faultTable({
    'V3-HIST-09': {
      'v3-history-limit-off-by-one: A history page has one row more than limit.':
        'v3.history: a page has one row more than limit',
      'v3-history-limit-1-is-2: A limit of 1 is treated as 2.': editQuery((query) =>
        Number(query['limit']) === 1 ? { ...query, limit: 2 } : query,
      ),
      'v3-history-limit-above-20-is-50: A limit above 20 is treated as 50.':
        'v3.history: a limit is taken for 50',
    },
    'V3-HIST-10': {
      'v3-history-loses-a-row-above-20: With a limit from 21 to 49, one row is omitted between two pages.':
        'v3.history: the first row is lost (cursor: given; limit: above 20)',
      'v3-history-repeats-a-row-at-each-border: A page starts with the last row of the previous page.':
        continueAt(({ next }, _after, limit) => (next !== null && limit > 1 ? next - 1 : next)),
      'v3-history-ends-after-two-pages: The second page has a null cursor although further pages exist.':
        'v3.history: the cursor of the next page is lost (cursor: given)',
      'v3-history-cursor-of-a-moment: The cursor is a timestamp: further rows with the timestamp of the last row are skipped.':
        editPages((original) => async (chatId, after, limit) => {
          const page = await original(chatId, after, limit)
          const { rows } = await original(chatId, 0, Number.POSITIVE_INFINITY)
          const last = page.rows.at(-1)?.createdAt ?? 0
          const behind = rows.findIndex(({ createdAt }) => createdAt > last)
          return { ...page, next: page.next && (behind < 0 ? rows.length : behind) }
        }),
    },
    'V3-HIST-11': {
      'v3-history-cursor-missing-at-the-end: The last page omits cursor.': setFields(v3History, {
        'pagination.cursor': (cursor: unknown) => cursor ?? undefined,
      }),
      'v3-history-cursor-never-null: The last page has a cursor that leads to an empty page with the same cursor.':
        continueAt(({ next, rows }, after) => next ?? Math.max(1, after + rows.length)),
    },
    'V3-HIST-12': {
      'v3-history-one-page-only: The first page has a null cursor although further pages exist.':
        'v3.history: the cursor of the next page is lost',
      'v3-history-cursor-number: The cursor is a number.': setFields(v3History, {
        'pagination.cursor': (cursor: unknown) => cursor && 50,
      }),
    },
    'V3-HIST-13': {
      'v3-history-counts-from-the-end: The cursor is an offset from the end, so that new rows shift pages.':
        editPages((original) => async (chatId, left, limit) => {
          const { rows } = await original(chatId, 0, Number.POSITIVE_INFINITY)
          const after = left === 0 ? 0 : Math.max(0, rows.length - left)
          const page = rows.slice(after, after + limit)
          const next = rows.length - after - page.length
          return { rows: page, next: next === 0 ? null : next }
        }),
    },
    'V3-HIST-14': {
      'v3-history-newest-first-by-offset: Rows are returned newest first with an offset as cursor, so that new rows shift pages.':
        editPages((original) => async (chatId, after, limit) => {
          const { rows } = await original(chatId, 0, Number.POSITIVE_INFINITY)
          const page = rows.toReversed().slice(after, after + limit)
          const end = after + page.length
          return { rows: page, next: end < rows.length ? end : null }
        }),
    },
    'V3-HIST-15': {
      'v3-history-order-of-each-page: Pages with an odd limit return their rows in reverse order.':
        editPages((original) => async (chatId, after, limit) => {
          const page = await original(chatId, after, limit)
          return { ...page, rows: limit % 2 === 1 ? page.rows.toReversed() : page.rows }
        }),
    },
  }),
  ...[20, 49, 51, 100].map(
    (rows): Fault => ({
      name: `v3-history-default-${rows}`,
      summary: `The default page size is ${rows} instead of 50.`,
      breaks: ['V3-HIST-08'],
      patch: editQuery((query) => ({ limit: rows, ...query })),
    }),
  ),
]
