/** Faults of histories: fields and content of rows, and pages (sections 2.6, 4.3 and 8). */
import type { RunItem } from '../../../events/response-object.ts'
import type { Patch } from '../../../services.ts'
import type { Store } from '../../../store/sql/store.ts'
import type { HistoryRow, Page, StoredRun } from '../../../store/types.ts'
import { isText, type Json, setAt, toList, toObject } from '../../patches/json.ts'
import { onReply, onSuccessBody, setFields } from '../../patches/replies.ts'
import { onRequest, onRequestBody } from '../../patches/requests.ts'
import { v3Generate, v3History, visionModel } from '../../patches/routes.ts'
import { compose, onStore, perServer } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'

const without = (type: RunItem['type']): Patch =>
  editStoredRun((run) => ({ ...run, output: run.output.filter((item) => item.type !== type) }))

/** Maps the rows of some items. */
const editRows = (fits: (item: Json) => boolean, change: (row: Json) => Json): Patch =>
  setFields(v3History, {
    'result.*': (row: Json) => (fits(toObject(row['item'])) ? change(row) : row),
  })

const of =
  (role: string) =>
  (item: Json): boolean =>
    item['role'] === role

const ofType =
  (type: string) =>
  (item: Json): boolean =>
    item['type'] === type
export const historyRowFaults = faultTable({
  'V3-HIST-07 v3-history-decomposed: The history returns the text of an input in Unicode normalization form D.':
    inputTexts((text) => text.normalize('NFD')),
  'V3-HIST-07 v3-history-ascii-answers: Non-ASCII characters of a stored answer are replaced by question marks.':
    editRows(of('assistant'), (row) =>
      setAt(row, 'item.content.*.text', (text: unknown) =>
        isText(text) ? text.replaceAll(/[^\0-\x7f]/g, '?') : text,
      ),
    ),
  'V3-HIST-07 v3-history-without-vision-answers: Answers of the vision model are not stored.':
    perServer(() => {
      const keys = new Set<unknown>()
      return compose([
        onRequestBody(v3Generate, (body, { headers }) => {
          if (body['model_id'] === visionModel) keys.add(headers['idempotency-key'])
          return body
        }),
        onStore('history', ({ append }) => ({
          append: (chatId, run, turn) =>
            append(chatId, keys.has(turn?.scope.key) ? { ...run, output: [] } : run, turn),
        })),
      ])
    }),
  'V3-HIST-07 v3-history-first-part-alone: The history returns only the first content part of an input.':
    inputs((content) => (Array.isArray(content) ? content.slice(0, 1) : content)),
  'V3-HIST-07 v3-history-hides-the-system: System messages are not stored in the history.':
    editStoredRun((run) => ({
      ...run,
      input: run.input.filter(({ role }) => role !== 'system'),
    })),
  'V3-HIST-05 v3-history-input-content-as-text: The content of a user message is a string instead of an array of parts.':
    editRows(of('user'), (row) =>
      setAt(row, 'item.content', (content: unknown) => toList(content)[0]?.['text']),
    ),
  'V3-HIST-05 v3-history-input-without-type: User messages omit type.': editRows(
    of('user'),
    (row) => setAt(setAt(row, 'item.type', undefined), 'item_type', undefined),
  ),
  'V3-HIST-05 v3-history-developer-as-system: A developer message is returned with the role system.':
    editRows(of('developer'), (row) => setAt(row, 'item.role', 'system')),
  'V3-HIST-03 v3-history-reasoning-as-message: The item_type of a reasoning item is message.':
    editRows(ofType('reasoning'), (row) => ({ ...row, item_type: 'message' })),
  'V3-HIST-04 v3-history-searches-running: The item_status of a file search call remains searching.':
    editRows(ofType('file_search_call'), (row) => ({ ...row, item_status: 'searching' })),
  'V3-HIST-06 v3-history-without-reasoning: Reasoning items are not stored in the history.':
    without('reasoning'),
  'V3-HIST-06 v3-history-without-searches: File search calls are not stored in the history.':
    without('file_search_call'),
  'V3-HIST-06 v3-history-without-tool-calls: Function calls are not stored in the history.':
    without('function_call'),
  'V3-HIST-06 v3-history-incomplete-answers-lost: Answers that reach max_tokens are not stored.':
    onStore('history', (original) => ({
      append: (chatId, run, turn) => {
        const isCut = turn?.run.finish === 'length'
        return original.append(chatId, isCut ? { ...run, output: [] } : run, turn)
      },
    })),
  'V3-HIST-06 v3-history-output-ids-anew: Output messages have other ids in the history than in the response.':
    editRows(of('assistant'), (row) => setAt(row, 'item.id', (id: unknown) => `row_${id}`)),
  'V3-HIST-01 v3-history-bare-list: A history page is a bare array.': onSuccessBody(
    v3History,
    (body) => body['result'],
  ),
  'V3-HIST-01 v3-history-of-an-empty-chat-missing: The history of a chat without messages returns 404.':
    onReply(v3History, (reply) =>
      'body' in reply && reply.status === 200 && toList(toObject(reply.body)['result']).length === 0
        ? { status: 404, body: { error: { message: 'No messages' } } }
        : reply,
    ),
})
/** Maps the content of input messages. */
function inputs(change: (content: unknown) => unknown): Patch {
  return editRows(
    ({ role }) => role !== undefined && role !== 'assistant',
    (row) => setAt(row, 'item.content', change),
  )
}

function inputTexts(change: (text: string) => string): Patch {
  return inputs((content) =>
    setAt(content, '*.text', (text: unknown) => (isText(text) ? change(text) : text)),
  )
}

function editStoredRun(change: (run: StoredRun) => StoredRun): Patch {
  return onStore('history', (original) => ({
    append: (chatId, run) => original.append(chatId, change(run)),
  }))
}

/** More rows than any history of the suites has. */
const everyRow = 1_000_000

type ReadPage = Store['history']['page']
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

const defaultsTo = (rows: number): Patch => editQuery((query) => ({ limit: rows, ...query }))

export const historyPageFaults = faultTable({
  'V3-HIST-08 v3-history-default-49: The default page size is 49 instead of 50.': defaultsTo(49),
  'V3-HIST-08 v3-history-default-51: The default page size is 51 instead of 50.': defaultsTo(51),
  'V3-HIST-09 v3-history-limit-1-is-2: A limit of 1 is treated as 2.': editQuery((query) =>
    Number(query['limit']) === 1 ? { ...query, limit: 2 } : query,
  ),
  'V3-HIST-10 v3-history-repeats-a-row-at-each-border: A page starts with the last row of the previous page.':
    continueAt(({ next }, _after, limit) => (next !== null && limit > 1 ? next - 1 : next)),
  'V3-HIST-11 v3-history-cursor-missing-at-the-end: The last page omits cursor.': setFields(
    v3History,
    {
      'pagination.cursor': (cursor: unknown) => cursor ?? undefined,
    },
  ),
  'V3-HIST-11 v3-history-cursor-never-null: The last page has a cursor that leads to an empty page with the same cursor.':
    continueAt(({ next, rows }, after) => next ?? Math.max(1, after + rows.length)),
  'V3-HIST-11 v3-history-cursor-of-nothing: An empty history has a cursor that leads to itself.':
    continueAt(({ next, rows }, after) => (rows.length === 0 ? Math.max(1, after) : next)),
  'V3-HIST-12 v3-history-cursor-number: The cursor is a number.': setFields(v3History, {
    'pagination.cursor': (cursor: unknown) => cursor && 50,
  }),
  'V3-HIST-13 v3-history-counts-from-the-end: The cursor is an offset from the end, so that new rows shift pages.':
    editPages((original) => async (chatId, left, limit) => {
      const { rows } = await original(chatId, 0, everyRow)
      const after = left === 0 ? 0 : Math.max(0, rows.length - left)
      const page = rows.slice(after, after + limit)
      const next = rows.length - after - page.length
      return { rows: page, next: next === 0 ? null : next }
    }),
  'V3-HIST-14 v3-history-newest-first-by-offset: Rows are returned newest first with an offset as cursor, so that new rows shift pages.':
    editPages((original) => async (chatId, after, limit) => {
      const { rows } = await original(chatId, 0, everyRow)
      const page = rows.toReversed().slice(after, after + limit)
      const end = after + page.length
      return { rows: page, next: end < rows.length ? end : null }
    }),
  'V3-HIST-15 v3-history-order-of-each-page: Pages with an odd limit return their rows in reverse order.':
    editPages((original) => async (chatId, after, limit) => {
      const page = await original(chatId, after, limit)
      return { ...page, rows: limit % 2 === 1 ? page.rows.toReversed() : page.rows }
    }),
})
