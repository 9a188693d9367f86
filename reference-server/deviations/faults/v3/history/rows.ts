/** Faults of history rows: their members, and missing or additional rows (section 2.6). */
import type { Patch } from '../../../../services.ts'
import type { HistoryRow, StoredRun } from '../../../../store/types.ts'
import { type Json, setAt, toList, toObject } from '../../../patches/json.ts'
import { onReply, onSuccessBody, setField } from '../../../patches/replies.ts'
import { v3History } from '../../../patches/routes.ts'
import { onStore, perServer } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'

const setInRows = (path: string, to: unknown): Patch => setField(v3History, `result.*.${path}`, to)

/** Maps the rows of one role. */
const editRows = (role: string, change: (row: Json) => Json): Patch =>
  setField(v3History, 'result.*', (row: Json) =>
    toObject(row['item'])['role'] === role ? change(row) : row,
  )

const shapeFaults: readonly Fault[] = [
  {
    name: 'v3-history-bare-list',
    summary: 'A history page is a bare array.',
    breaks: ['V3-HIST-01'],
    patch: onSuccessBody(v3History, (body) => body['result']),
  },
  {
    name: 'v3-history-under-items',
    summary: 'The rows of a history page are in items instead of result.',
    breaks: ['V3-HIST-01'],
    patch: onSuccessBody(v3History, ({ result, ...rest }) => ({ items: result, ...rest })),
  },
  {
    name: 'v3-history-without-pagination',
    summary: 'A history page omits pagination.',
    breaks: ['V3-HIST-01'],
    patch: setField(v3History, 'pagination', undefined),
  },
  {
    name: 'v3-history-of-an-empty-chat-missing',
    summary: 'The history of a chat without messages returns 404.',
    breaks: ['V3-HIST-01'],
    patch: onReply(v3History, (reply) =>
      'body' in reply && reply.status === 200 && toList(toObject(reply.body)['result']).length === 0
        ? { status: 404, body: { error: { message: 'No messages' } } }
        : reply,
    ),
  },
  {
    name: 'v3-history-item-as-text',
    summary: 'item is a JSON string instead of an object.',
    breaks: ['V3-HIST-02'],
    patch: setInRows('item', JSON.stringify),
  },
  {
    name: 'v3-history-item-in-a-list',
    summary: 'item is an array with one item.',
    breaks: ['V3-HIST-02'],
    patch: setInRows('item', (item: unknown) => [item]),
  },
  {
    name: 'v3-history-item-type-missing',
    summary: 'History rows omit item_type.',
    breaks: ['V3-HIST-03'],
    patch: setInRows('item_type', undefined),
  },
  {
    name: 'v3-history-item-type-of-the-role',
    summary: 'item_type is the role of the message.',
    breaks: ['V3-HIST-03'],
    patch: setField(v3History, 'result.*', (row: Json) => ({
      ...row,
      item_type: toObject(row['item'])['role'] ?? row['item_type'],
    })),
  },
  {
    name: 'v3-history-item-status-missing',
    summary: 'History rows omit item_status.',
    breaks: ['V3-HIST-04'],
    patch: setInRows('item_status', undefined),
  },
  {
    name: 'v3-history-item-status-stale',
    summary: 'item_status remains in_progress.',
    breaks: ['V3-HIST-04'],
    patch: setInRows('item_status', (status: unknown) => status && 'in_progress'),
  },
  {
    name: 'v3-history-input-content-as-text',
    summary: 'The content of a user message is a string instead of an array of parts.',
    breaks: ['V3-HIST-05'],
    patch: editRows('user', (row) =>
      setAt(row, 'item.content', (content: unknown) => toList(content)[0]?.['text']),
    ),
  },
  {
    name: 'v3-history-input-without-type',
    summary: 'User messages omit type.',
    breaks: ['V3-HIST-05'],
    patch: editRows('user', (row) =>
      setAt(setAt(row, 'item.type', undefined), 'item_type', undefined),
    ),
  },
  {
    name: 'v3-history-input-of-a-human',
    summary: 'The role of a user message is human.',
    breaks: ['V3-HIST-05'],
    patch: editRows('user', (row) => setAt(row, 'item.role', 'human')),
  },
  {
    name: 'v3-history-developer-as-system',
    summary: 'A developer message is returned with the role system.',
    breaks: ['V3-HIST-05'],
    patch: editRows('developer', (row) => setAt(row, 'item.role', 'system')),
  },
  {
    name: 'v3-history-hides-the-system',
    summary: 'System messages are not stored in the history.',
    breaks: ['V3-HIST-07'],
    patch: editStoredRun((run) => ({
      ...run,
      input: run.input.filter(({ role }) => role !== 'system'),
    })),
  },
]

const contentFaults: readonly Fault[] = [
  {
    name: 'v3-history-output-ids-anew',
    summary: 'Output messages have other ids in the history than in the response.',
    breaks: ['V3-HIST-06'],
    patch: editRows('assistant', (row) => setAt(row, 'item.id', (id: unknown) => `row_${id}`)),
  },
  {
    name: 'v3-history-output-trimmed',
    summary: 'Output messages omit status in the history.',
    breaks: ['V3-HIST-06'],
    patch: editRows('assistant', (row) =>
      setAt(setAt(row, 'item.status', undefined), 'item_status', undefined),
    ),
  },
  {
    name: 'v3-history-without-answers',
    summary: 'Answers are not stored in the history.',
    breaks: ['V3-HIST-07'],
    patch: editStoredRun((run) => ({ ...run, output: [] })),
  },
  {
    name: 'v3-history-without-questions',
    summary: 'The history omits user messages.',
    breaks: ['V3-HIST-07'],
    patch: setField(v3History, 'result', (rows: unknown) =>
      toList(rows).filter((row) => toObject(row['item'])['role'] !== 'user'),
    ),
  },
  {
    name: 'v3-history-shortens-answers',
    summary: 'Answers are truncated to 40 characters in the history.',
    breaks: ['V3-HIST-07'],
    patch: editRows('assistant', (row) =>
      setAt(row, 'item.content.*.text', (text: string) => text.slice(0, 40)),
    ),
  },
  {
    name: 'v3-history-without-streamed-turns',
    only: { form: ['stream'] },
    summary: 'Streamed steps are not stored in the history.',
    breaks: ['V3-HIST-07'],
    patch: perServer(() => {
      const streamed = new Set<string>()
      const skipping = onStore('history', (original) => ({
        append: async (chatId, run) => {
          if (!streamed.has(run.id)) await original.append(chatId, run)
        },
      }))
      return (services) => ({
        ...skipping(services),
        events: (run) => {
          streamed.add(run.id)
          return services.events(run)
        },
      })
    }),
  },
  {
    name: 'v3-history-mixes-chats',
    summary: 'A history page that is not full is filled with the newest rows of other chats.',
    breaks: ['V3-HIST-16'],
    patch: perServer(() => {
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
]

export const historyRowFaults: readonly Fault[] = [...shapeFaults, ...contentFaults]

function editStoredRun(change: (run: StoredRun) => StoredRun): Patch {
  return onStore('history', (original) => ({
    append: (chatId, run) => original.append(chatId, change(run)),
  }))
}
