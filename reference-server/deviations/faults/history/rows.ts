/** Faults of the rows of a history: their members, and which of them there are (section 2.6). */
import type { Patch } from '../../../parts.ts'
import type { HistoryRow, StoredRun } from '../../../store/types.ts'
import { setAt } from '../../json-edit.ts'
import {
  v3History,
  type Json,
  toList,
  toObject,
  onSuccessBody,
  onHistory,
  onReply,
  perServer,
  setField,
} from '../../seams.ts'
import type { Fault } from '../../types.ts'
import { fault } from '../fault.ts'

const everyRow = (path: string, to: unknown): Patch => setField(v3History, `result.*.${path}`, to)

/** The rows of one role, changed. */
const rowsOf = (role: string, change: (row: Json) => Json): Patch =>
  setField(v3History, 'result.*', (row: Json) =>
    toObject(row['item'])['role'] === role ? change(row) : row,
  )

const shapes: readonly Fault[] = [
  fault(
    'v3-history-bare-list',
    'V3-HIST-01',
    'A page of the history is a bare array.',
    onSuccessBody(v3History, (body) => body['result']),
  ),
  fault(
    'v3-history-under-items',
    'V3-HIST-01',
    'The rows are under items.',
    onSuccessBody(v3History, ({ result, ...rest }) => ({ items: result, ...rest })),
  ),
  fault(
    'v3-history-without-pagination',
    'V3-HIST-01',
    'A page has no pagination.',
    setField(v3History, 'pagination', undefined),
  ),
  fault(
    'v3-history-of-an-empty-chat-missing',
    'V3-HIST-01',
    'The history of a chat in which nothing was said is answered with 404.',
    onReply(v3History, (reply) =>
      'body' in reply && reply.status === 200 && toList(toObject(reply.body)['result']).length === 0
        ? { status: 404, body: { error: { message: 'No messages' } } }
        : reply,
    ),
  ),
  fault(
    'v3-history-item-as-text',
    'V3-HIST-02',
    'item is JSON in a string.',
    everyRow('item', JSON.stringify),
  ),
  fault(
    'v3-history-item-in-a-list',
    'V3-HIST-02',
    'item is an array of one item.',
    everyRow('item', (item: unknown) => [item]),
  ),
  fault(
    'v3-history-item-type-missing',
    'V3-HIST-03',
    'A row has no item_type.',
    everyRow('item_type', undefined),
  ),
  fault(
    'v3-history-item-type-of-the-role',
    'V3-HIST-03',
    'item_type is the role of a message.',
    setField(v3History, 'result.*', (row: Json) => ({
      ...row,
      item_type: toObject(row['item'])['role'] ?? row['item_type'],
    })),
  ),
  fault(
    'v3-history-item-status-missing',
    'V3-HIST-04',
    'A row has no item_status.',
    everyRow('item_status', undefined),
  ),
  fault(
    'v3-history-item-status-stale',
    'V3-HIST-04',
    'item_status stays at in_progress.',
    everyRow('item_status', (status: unknown) => status && 'in_progress'),
  ),
  fault(
    'v3-history-input-content-as-text',
    'V3-HIST-05',
    'The content of a user message is its text.',
    rowsOf('user', (row) =>
      setAt(row, 'item.content', (content: unknown) => toList(content)[0]?.['text']),
    ),
  ),
  fault(
    'v3-history-input-without-type',
    'V3-HIST-05',
    'A user message has no type.',
    rowsOf('user', (row) => setAt(setAt(row, 'item.type', undefined), 'item_type', undefined)),
  ),
  fault(
    'v3-history-input-of-a-human',
    'V3-HIST-05',
    'The role of a user is human.',
    rowsOf('user', (row) => setAt(row, 'item.role', 'human')),
  ),
  fault(
    'v3-history-developer-as-system',
    'V3-HIST-05',
    'A message of the developer is shown as one of the system.',
    rowsOf('developer', (row) => setAt(row, 'item.role', 'system')),
  ),
  fault(
    'v3-history-hides-the-system',
    'V3-HIST-07',
    'Messages of the system are not shown.',
    stores((run) => ({ ...run, input: run.input.filter(({ role }) => role !== 'system') })),
  ),
]

const holdings: readonly Fault[] = [
  fault(
    'v3-history-output-ids-anew',
    'V3-HIST-06',
    'The items of an answer have other ids in the history.',
    rowsOf('assistant', (row) => setAt(row, 'item.id', (id: unknown) => `row_${id}`)),
  ),
  fault(
    'v3-history-output-trimmed',
    'V3-HIST-06',
    'Output items lose their status in the history.',
    rowsOf('assistant', (row) => setAt(setAt(row, 'item.status', undefined), 'item_status', undefined)),
  ),
  fault(
    'v3-history-without-answers',
    'V3-HIST-07',
    'What was answered is not stored.',
    stores((run) => ({ ...run, output: [] })),
  ),
  fault(
    'v3-history-without-questions',
    'V3-HIST-07',
    'What was asked is not shown.',
    setField(v3History, 'result', (rows: unknown) =>
      toList(rows).filter((row) => toObject(row['item'])['role'] !== 'user'),
    ),
  ),
  fault(
    'v3-history-shortens-answers',
    'V3-HIST-07',
    'Of an answer, 40 characters are kept.',
    rowsOf('assistant', (row) =>
      setAt(row, 'item.content.*.text', (text: string) => text.slice(0, 40)),
    ),
  ),
  fault(
    'v3-history-without-streamed-turns',
    'V3-HIST-07',
    'A turn that was streamed is not stored.',
    perServer(() => {
      const streamed = new Set<string>()
      const skipping = onHistory((usual) => ({
        append: async (chatId, run) => {
          if (!streamed.has(run.id)) await usual.append(chatId, run)
        },
      }))
      return (parts) => ({
        ...skipping(parts),
        events: (run) => {
          streamed.add(run.id)
          return parts.events(run)
        },
      })
    }),
  ),
  fault(
    'v3-history-mixes-chats',
    'V3-HIST-16',
    'A page that is not full is filled with the newest rows of other chats.',
    perServer(() => {
      const newest = new Map<string, readonly HistoryRow[]>()
      return onHistory((usual) => ({
        append: async (chatId, run) => {
          await usual.append(chatId, run)
          newest.set(chatId, (await usual.page(chatId, 0, 2)).rows)
        },
        page: async (chatId, after, limit) => {
          const page = await usual.page(chatId, after, limit)
          const others = [...newest].filter(([id]) => id !== chatId).flatMap(([, rows]) => rows)
          const room = after === 0 && limit === 50 ? limit - page.rows.length : 0
          return { ...page, rows: [...page.rows, ...(room > 0 ? others.slice(-room) : [])] }
        },
      }))
    }),
  ),
]

export const historyRowFaults: readonly Fault[] = [...shapes, ...holdings]

function stores(change: (run: StoredRun) => StoredRun): Patch {
  return onHistory((usual) => ({ append: (chatId, run) => usual.append(chatId, change(run)) }))
}
