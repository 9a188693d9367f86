/** Faults of history rows: their members, and missing or additional rows (section 2.6). */
import type { Patch } from '../../../../services.ts'
import type { HistoryRow, StoredRun } from '../../../../store/types.ts'
import { type Fields, type Json, setAll, setAt, toList, toObject } from '../../../patches/json.ts'
import { onReply, onSuccessBody, setFields } from '../../../patches/replies.ts'
import { v3History } from '../../../patches/routes.ts'
import { onStore, perServer } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'
import type { Fault } from '../../../types.ts'

const setInRows = (fields: Fields): Patch =>
  setFields(v3History, { 'result.*': (row: unknown) => setAll(row, fields) })

/** Maps the rows of one role. */
const editRows = (role: string, change: (row: Json) => Json): Patch =>
  setFields(v3History, {
    'result.*': (row: Json) => (toObject(row['item'])['role'] === role ? change(row) : row),
  })

const shapeFaults = faultTable({
  'V3-HIST-01': {
    'v3-history-bare-list: A history page is a bare array.': onSuccessBody(
      v3History,
      (body) => body['result'],
    ),
    'v3-history-under-items: The rows of a history page are in items instead of result.':
      onSuccessBody(v3History, ({ result, ...rest }) => ({ items: result, ...rest })),
    'v3-history-of-an-empty-chat-missing: The history of a chat without messages returns 404.':
      onReply(v3History, (reply) =>
        'body' in reply &&
        reply.status === 200 &&
        toList(toObject(reply.body)['result']).length === 0
          ? { status: 404, body: { error: { message: 'No messages' } } }
          : reply,
      ),
  },
  'V3-HIST-02': {
    'v3-history-item-as-text: item is a JSON string instead of an object.': setInRows({
      item: JSON.stringify,
    }),
  },
  'V3-HIST-03': {
    'v3-history-item-type-of-the-role: item_type is the role of the message.': setFields(
      v3History,
      {
        'result.*': (row: Json) => ({
          ...row,
          item_type: toObject(row['item'])['role'] ?? row['item_type'],
        }),
      },
    ),
  },
  'V3-HIST-04': {
    'v3-history-item-status-stale: item_status remains in_progress.': setInRows({
      item_status: (status: unknown) => status && 'in_progress',
    }),
  },
  'V3-HIST-05': {
    'v3-history-input-content-as-text: The content of a user message is a string instead of an array of parts.':
      editRows('user', (row) =>
        setAt(row, 'item.content', (content: unknown) => toList(content)[0]?.['text']),
      ),
    'v3-history-input-without-type: User messages omit type.': editRows('user', (row) =>
      setAt(setAt(row, 'item.type', undefined), 'item_type', undefined),
    ),
    'v3-history-input-of-a-human: The role of a user message is human.': editRows('user', (row) =>
      setAt(row, 'item.role', 'human'),
    ),
    'v3-history-developer-as-system: A developer message is returned with the role system.':
      editRows('developer', (row) => setAt(row, 'item.role', 'system')),
  },
  'V3-HIST-07': {
    'v3-history-hides-the-system: System messages are not stored in the history.': editStoredRun(
      (run) => ({
        ...run,
        input: run.input.filter(({ role }) => role !== 'system'),
      }),
    ),
  },
})

const contentFaults = faultTable({
  'V3-HIST-06': {
    'v3-history-output-ids-anew: Output messages have other ids in the history than in the response.':
      editRows('assistant', (row) => setAt(row, 'item.id', (id: unknown) => `row_${id}`)),
    'v3-history-output-trimmed: Output messages omit status in the history.': editRows(
      'assistant',
      (row) => setAt(setAt(row, 'item.status', undefined), 'item_status', undefined),
    ),
  },
  'V3-HIST-07': {
    'v3-history-without-answers: Answers are not stored in the history.':
      'v3.generate: the answer is not stored',
    'v3-history-without-questions: The history omits user messages.': setFields(v3History, {
      result: (rows: unknown) =>
        toList(rows).filter((row) => toObject(row['item'])['role'] !== 'user'),
    }),
    'v3-history-shortens-answers: Answers are truncated to 40 characters in the history.': editRows(
      'assistant',
      (row) => setAt(row, 'item.content.*.text', (text: string) => text.slice(0, 40)),
    ),
  },
  'V3-HIST-16': {
    'v3-history-mixes-chats: A history page that is not full is filled with the newest rows of other chats.':
      perServer(() => {
        const newest = new Map<string, readonly HistoryRow[]>()
        return onStore('history', (original) => ({
          append: async (chatId, run) => {
            await original.append(chatId, run)
            newest.set(chatId, (await original.page(chatId, 0, 2)).rows)
          },
          page: async (chatId, after, limit) => {
            const page = await original.page(chatId, after, limit)
            const others = [...newest].filter(([id]) => id !== chatId).flatMap(([, rows]) => rows)
            const room = after === 0 && limit === 50 ? limit - page.rows.length : 0
            return { ...page, rows: [...page.rows, ...(room > 0 ? others.slice(-room) : [])] }
          },
        }))
      }),
  },
})

export const historyRowFaults: readonly Fault[] = [...shapeFaults, ...contentFaults]

function editStoredRun(change: (run: StoredRun) => StoredRun): Patch {
  return onStore('history', (original) => ({
    append: (chatId, run) => original.append(chatId, change(run)),
  }))
}
