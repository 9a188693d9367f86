/** Faults of the pages of a history (sections 4.3 and 8). */
import type { Patch } from '../../../../services.ts'
import type { HistoryRow, HistoryStore, Page } from '../../../../store/types.ts'
import { type Json, toObject } from '../../../patches/json.ts'
import { setField } from '../../../patches/replies.ts'
import { onRequest, rejectRequests } from '../../../patches/requests.ts'
import { v3History } from '../../../patches/routes.ts'
import { onStore } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'

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

const editLimit = (change: (limit: number) => number): Patch =>
  editQuery((query) =>
    query['limit'] === undefined ? query : { ...query, limit: change(Number(query['limit'])) },
  )

const sizeFaults: readonly Fault[] = [
  ...[20, 49, 51, 100].map(
    (rows): Fault => ({
      name: `v3-history-default-${rows}`,
      summary: `The default page size is ${rows} instead of 50.`,
      breaks: ['V3-HIST-08'],
      patch: editQuery((query) => ({ limit: rows, ...query })),
    }),
  ),
  {
    name: 'v3-history-limit-ignored',
    summary: 'GET /message ignores limit.',
    breaks: ['V3-HIST-09'],
    patch: editQuery(({ limit: _, ...query }) => query),
  },
  {
    name: 'v3-history-limit-off-by-one',
    summary: 'A history page has one row more than limit.',
    breaks: ['V3-HIST-09'],
    patch: editLimit((limit) => limit + 1),
  },
  {
    name: 'v3-history-limit-at-least-5',
    summary: 'A limit below 5 is treated as 5.',
    breaks: ['V3-HIST-09'],
    patch: editLimit((limit) => Math.max(limit, 5)),
  },
  {
    name: 'v3-history-limit-1-is-2',
    summary: 'A limit of 1 is treated as 2.',
    breaks: ['V3-HIST-09'],
    patch: editLimit((limit) => Math.max(limit, 2)),
  },
  {
    name: 'v3-history-limit-in-tens',
    summary: 'A limit above 5 is rounded up to a multiple of ten.',
    breaks: ['V3-HIST-09'],
    patch: editLimit((limit) => (limit > 5 ? Math.ceil(limit / 10) * 10 : limit)),
  },
  {
    name: 'v3-history-limit-above-20-is-50',
    only: { 'page size': ['above 20'] },
    summary: 'A limit above 20 is treated as 50.',
    breaks: ['V3-HIST-09'],
    patch: editLimit((limit) => (limit > 20 ? 50 : limit)),
  },
]

const cursorFaults: readonly Fault[] = [
  {
    name: 'v3-history-loses-a-row-at-each-border',
    summary: 'One row is omitted between two pages.',
    breaks: ['V3-HIST-10'],
    patch: continueAt(({ next }) => (next === null ? null : next + 1)),
  },
  {
    name: 'v3-history-loses-a-row-above-20',
    only: { 'page size': ['above 20'] },
    summary: 'With a limit from 21 to 49, one row is omitted between two pages.',
    breaks: ['V3-HIST-10'],
    patch: continueAt(({ next }, _after, limit) =>
      next !== null && limit > 20 && limit < 50 ? next + 1 : next,
    ),
  },
  {
    name: 'v3-history-repeats-a-row-at-each-border',
    summary: 'A page starts with the last row of the previous page.',
    breaks: ['V3-HIST-10'],
    patch: continueAt(({ next }, _after, limit) => (next !== null && limit > 1 ? next - 1 : next)),
  },
  {
    name: 'v3-history-ends-after-two-pages',
    only: { page: ['third or later'] },
    summary: 'The second page has a null cursor although further pages exist.',
    breaks: ['V3-HIST-10'],
    patch: continueAt(({ next }, after) => (after > 0 ? null : next)),
  },
  {
    name: 'v3-history-loses-a-last-row-alone',
    summary: 'A last page with a single row is omitted.',
    breaks: ['V3-HIST-10'],
    patch: editPages((original) => async (chatId, after, limit) => {
      const page = await original(chatId, after, limit)
      const rest = page.next === null ? [] : (await original(chatId, page.next, 2)).rows
      return { ...page, next: rest.length === 1 ? null : page.next }
    }),
  },
  {
    name: 'v3-history-cursor-of-a-moment',
    summary:
      'The cursor is a timestamp: further rows with the timestamp of the last row are skipped.',
    breaks: ['V3-HIST-10'],
    patch: editPages((original) => async (chatId, after, limit) => {
      const page = await original(chatId, after, limit)
      const { rows } = await original(chatId, 0, Number.POSITIVE_INFINITY)
      const last = page.rows.at(-1)?.createdAt ?? 0
      const behind = rows.findIndex(({ createdAt }) => createdAt > last)
      return { ...page, next: page.next && (behind < 0 ? rows.length : behind) }
    }),
  },
  {
    name: 'v3-history-cursor-missing-at-the-end',
    summary: 'The last page omits cursor.',
    breaks: ['V3-HIST-11'],
    patch: setLastCursor(undefined),
  },
  {
    name: 'v3-history-cursor-empty-at-the-end',
    summary: 'The cursor of the last page is an empty string.',
    breaks: ['V3-HIST-11'],
    patch: setLastCursor(''),
  },
  {
    name: 'v3-history-cursor-false-at-the-end',
    summary: 'The cursor of the last page is false.',
    breaks: ['V3-HIST-11'],
    patch: setLastCursor(false),
  },
  {
    name: 'v3-history-cursor-never-null',
    summary: 'The last page has a cursor that leads to an empty page with the same cursor.',
    breaks: ['V3-HIST-11'],
    patch: continueAt(({ next, rows }, after) => next ?? Math.max(1, after + rows.length)),
  },
  {
    name: 'v3-history-one-page-only',
    summary: 'The first page has a null cursor although further pages exist.',
    breaks: ['V3-HIST-12'],
    patch: continueAt(() => null),
  },
  {
    name: 'v3-history-cursor-number',
    summary: 'The cursor is a number.',
    breaks: ['V3-HIST-12'],
    patch: setField(v3History, 'pagination.cursor', (cursor: unknown) => cursor && 50),
  },
  {
    name: 'v3-history-cursor-refused',
    summary: 'GET /message rejects the cursor that it returned.',
    breaks: ['V3-HIST-12'],
    patch: rejectRequests(v3History, (_body, { query }) => 'cursor' in toObject(query)),
  },
  {
    name: 'v3-history-cursor-ignored',
    summary: 'GET /message ignores cursor and always returns the first page.',
    breaks: ['V3-HIST-12'],
    patch: editQuery(({ cursor: _, ...query }) => query),
  },
]

const growthFaults: readonly Fault[] = [
  {
    name: 'v3-history-counts-from-the-end',
    summary: 'The cursor is an offset from the end, so that new rows shift pages.',
    breaks: ['V3-HIST-13'],
    patch: editPages((original) => async (chatId, left, limit) => {
      const { rows } = await original(chatId, 0, Number.POSITIVE_INFINITY)
      const after = left === 0 ? 0 : Math.max(0, rows.length - left)
      const page = rows.slice(after, after + limit)
      const next = rows.length - after - page.length
      return { rows: page, next: next === 0 ? null : next }
    }),
  },
  {
    name: 'v3-history-newest-first-by-offset',
    summary:
      'Rows are returned newest first with an offset as cursor, so that new rows shift pages.',
    breaks: ['V3-HIST-14'],
    patch: editPages((original) => async (chatId, after, limit) => {
      const { rows } = await original(chatId, 0, Number.POSITIVE_INFINITY)
      const page = rows.toReversed().slice(after, after + limit)
      const end = after + page.length
      return { rows: page, next: end < rows.length ? end : null }
    }),
  },
  {
    name: 'v3-history-order-of-each-page',
    summary: 'Pages with an odd limit return their rows in reverse order.',
    breaks: ['V3-HIST-15'],
    patch: editPages((original) => async (chatId, after, limit) => {
      const page = await original(chatId, after, limit)
      return { ...page, rows: limit % 2 === 1 ? page.rows.toReversed() : page.rows }
    }),
  },
]

export const historyPageFaults: readonly Fault[] = [...sizeFaults, ...cursorFaults, ...growthFaults]

function setLastCursor(cursor: unknown): Patch {
  return setField(v3History, 'pagination.cursor', (original: unknown) => original ?? cursor)
}
