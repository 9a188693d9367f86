/** Faults of histories: fields and content of rows, and pages (sections 2.6, 4.3 and 8). */
import type { RunItem } from '../../../events/response-object.ts'
import type { Patch } from '../../../services.ts'
import type { FinishedTurn, HistoryRow, Page, StoredRun } from '../../../store/types.ts'
import { type Fields, isText, type Json, setAll, toList, toObject } from '../../patches/json.ts'
import { onReply, onSuccessBody, setFields } from '../../patches/replies.ts'
import { onRequest } from '../../patches/requests.ts'
import { onStore } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'

/** Edits the text of a part, if it has one. */
const edited = (change: (text: string) => string) => (text: unknown) =>
  isText(text) ? change(text) : text

export const historyFaults = faultTable({
  'V3-HIST-07 v3-history-decomposed: The history returns the text of an input in Unicode normalization form D.':
    setInRows(isInput, { 'item.content.*.text': edited((text) => text.normalize('NFD')) }),
  'V3-HIST-07 v3-history-ascii-answers: Non-ASCII characters of a stored answer are replaced by question marks.':
    setInRows(isFrom('assistant'), {
      'item.content.*.text': edited((text) => text.replaceAll(/[^\0-\x7f]/g, '?')),
    }),
  'V3-HIST-07 v3-history-first-part-alone: The history returns only the first content part of an input.':
    setInRows(isInput, {
      'item.content': (parts: unknown) => (Array.isArray(parts) ? parts.slice(0, 1) : parts),
    }),
  'V3-HIST-07 v3-history-hides-the-system: System messages are not stored in the history.':
    editStored((run) => ({ ...run, input: run.input.filter(({ role }) => role !== 'system') })),
  'V3-HIST-05 v3-history-input-content-as-text: The content of a user message is a string instead of an array of parts.':
    setInRows(isFrom('user'), { 'item.content': (parts: unknown) => toList(parts)[0]?.['text'] }),
  'V3-HIST-05 v3-history-input-without-type: User messages omit type.': setInRows(isFrom('user'), {
    'item.type': undefined,
    item_type: undefined,
  }),
  'V3-HIST-05 v3-history-developer-as-user: A developer message is returned with the role user.':
    setInRows(isFrom('developer'), { 'item.role': 'user' }),
  'V3-HIST-03 v3-history-reasoning-as-message: The item_type of a reasoning item is message.':
    setInRows(({ type }) => type === 'reasoning', { item_type: 'message' }),
  'V3-HIST-04 v3-history-searches-running: The item_status of a file search call remains searching.':
    setInRows(({ type }) => type === 'file_search_call', { item_status: 'searching' }),
  'V3-HIST-06 v3-history-without-reasoning: Reasoning items are not stored in the history.':
    without('reasoning'),
  'V3-HIST-06 v3-history-without-searches: File search calls are not stored in the history.':
    without('file_search_call'),
  'V3-HIST-06 v3-history-without-tool-calls: Function calls are not stored in the history.':
    without('function_call'),
  'V3-HIST-06 v3-history-incomplete-answers-lost: Answers that reach max_tokens are not stored.':
    editStored((run, turn) => (turn?.run.finish === 'length' ? { ...run, output: [] } : run)),
  'V3-HIST-06 v3-history-output-ids-anew: Output messages have other ids in the history than in the response.':
    setInRows(isFrom('assistant'), { 'item.id': (id: unknown) => `row_${id}` }),
  'V3-HIST-01 v3-history-bare-list: A history page is a bare array.': onSuccessBody(
    'v3.history',
    (body) => body['result'],
  ),
  'V3-HIST-01 v3-history-of-an-empty-chat-missing: The history of a chat without messages returns 404.':
    onReply('v3.history', (reply) =>
      'body' in reply && reply.status === 200 && toList(toObject(reply.body)['result']).length === 0
        ? { status: 404, body: { error: { message: 'No messages' } } }
        : reply,
    ),
  'V3-HIST-08 v3-history-default-51: The default page size is 51 instead of 50.': onRequest(
    'v3.history',
    (call) => ({ ...call, query: { limit: 51, ...toObject(call.query) } }),
  ),
  'V3-HIST-10 v3-history-repeats-a-row-at-each-border: A page starts with the last row of the previous page.':
    editPages(({ rows, next }, _after, limit) => ({
      rows,
      next: next !== null && limit > 1 ? next - 1 : next,
    })),
  'V3-HIST-11 v3-history-cursor-missing-at-the-end: The last page omits cursor.': setFields(
    'v3.history',
    { 'pagination.cursor': (cursor: unknown) => cursor ?? undefined },
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

/** Sets fields in the rows of some items. */
function setInRows(fits: (item: Json) => boolean, fields: Fields): Patch {
  return setFields('v3.history', {
    'result.*': (row: Json) => (fits(toObject(row['item'])) ? setAll(row, fields) : row),
  })
}

function isFrom(role: string) {
  return (item: Json): boolean => item['role'] === role
}

function isInput({ role }: Json): boolean {
  return role !== undefined && role !== 'assistant'
}

function without(type: RunItem['type']): Patch {
  return editStored((run) => ({ ...run, output: run.output.filter((item) => item.type !== type) }))
}

function editStored(change: (run: StoredRun, turn?: FinishedTurn) => StoredRun): Patch {
  return onStore('history', ({ append }) => ({
    append: (chatId, run, turn) => append(chatId, change(run, turn), turn),
  }))
}

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
