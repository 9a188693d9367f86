import type { Patch } from '../../../services.ts'
import type { HistoryRow, Page } from '../../../store/types.ts'
import { toList, toObject } from '../../patches/json.ts'
import { onReply, setFields } from '../../patches/replies.ts'
import { onStore } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'

export const historyFaults = faultTable({
  'V3-HIST-01 v3-history-of-an-empty-chat-missing: The history of a chat without messages returns 404.':
    onReply('v3.history', (reply) =>
      'body' in reply && reply.status === 200 && toList(toObject(reply.body)['result']).length === 0
        ? { status: 404, body: { error: { message: 'No messages' } } }
        : reply,
    ),
  'V3-HIST-11 v3-history-cursor-never-null: The last page has a cursor that leads to an empty page with the same cursor.':
    editPages(({ rows, next }, after) => ({
      rows,
      next: next ?? Math.max(1, after + rows.length),
    })),
  'V3-HIST-11 v3-history-cursor-of-nothing: An empty history has a cursor that leads to itself.':
    editPages(({ rows, next }, after) => ({
      rows,
      next: rows.length === 0 ? Math.max(1, after) : next,
    })),
  'V3-HIST-12 v3-history-cursor-number: The cursor is a number.': setFields('v3.history', {
    'pagination.cursor': (cursor: unknown) => cursor && 50,
  }),
  'V3-HIST-13 v3-history-counts-from-the-end: The cursor is an offset from the end, so that new rows shift pages.':
    editPages((_page, left, limit, all) => {
      const after = left === 0 ? 0 : Math.max(0, all.length - left)
      const { rows } = pageOf(all, after, limit)
      return { rows, next: all.length - after - rows.length || null }
    }),
  'V3-HIST-14 v3-history-newest-first-by-offset: Rows are returned newest first with an offset as cursor, so that new rows shift pages.':
    editPages((_page, after, limit, all) => pageOf(all.toReversed(), after, limit)),
  'V3-HIST-15 v3-history-order-of-each-page: Pages with an odd limit return their rows in reverse order.':
    editPages(({ rows, next }, _after, limit) => ({
      rows: limit % 2 === 1 ? rows.toReversed() : rows,
      next,
    })),
})

/** More rows than any history of the suites has. */
const everyRow = 1_000_000

/** Edits pages, given the position that the cursor names, the limit, and all rows of the history. */
function editPages(
  edit: (
    page: Page<HistoryRow>,
    after: number,
    limit: number,
    all: readonly HistoryRow[],
  ) => Page<HistoryRow>,
): Patch {
  return onStore('history', ({ page }) => ({
    page: async (chatId, after, limit) => {
      const { rows } = await page(chatId, 0, everyRow)
      return edit(pageOf(rows, after, limit), after, limit, rows)
    },
  }))
}

function pageOf(all: readonly HistoryRow[], after: number, limit: number): Page<HistoryRow> {
  const end = after + limit
  return { rows: all.slice(after, end), next: end < all.length ? end : null }
}
