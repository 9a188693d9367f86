/** Context of a generation, the chain of runs that leads to it, and GET /api/v3/message, the history of a chat. */
import { type Files, fileIds, fileTurns } from '../../answering/answer.ts'
import type { RunItem } from '../../events/response-object.ts'
import { type Route, route } from '../../http/call.ts'
import { or404 } from '../../http/errors.ts'
import type { Turn } from '../../model/types.ts'
import { historyQuery, type Input, type InputItem } from '../../requests/native.ts'
import { isoTime } from '../../runtime/clock.ts'
import type { Services } from '../../services.ts'
import type { HistoryRow, StoredRun } from '../../store/types.ts'
import { ownChat, pageBody } from '../ownership.ts'
import { historyRowShape, pageOf } from '../shapes.ts'

/** `input` in the form of the history: messages whose content is an array of parts. */
export function inputItems(input: Input): readonly RunItem[] {
  return typeof input === 'string' ? [message('user', input)] : input.map(historyItem)
}

/** The output of a run that the caller stored: items, or only the text of the answer. */
export function outputItems(output: string | readonly InputItem[]): readonly RunItem[] {
  return typeof output === 'string' ? [message('assistant', output)] : output.map(historyItem)
}

/** The ids of uploaded files in some items. */
export function namedFiles(items: readonly RunItem[]): readonly string[] {
  return items.flatMap((item) => fileIds(item['content']))
}

/** The turns of some items; items without conversation text have none. */
export function turnsOf(items: readonly RunItem[], files: Files): readonly Turn[] {
  return items.flatMap((item) => {
    const cached = remembered.get(item)
    if (cached !== undefined) return cached
    const turns = readTurns(item, files)
    if (fileIds(item['content']).length === 0) remembered.set(item, turns)
    return turns
  })
}

/**
 * The runs of the conversation, oldest first: those that lead to the parent, or without one to the
 * last run of the chat. The parent may be named by its response id or by the id of one of its items.
 *
 * @throws ApiError 404 for a parent that is not a run of this chat
 */
export function chainTo(
  runs: readonly StoredRun[],
  parentId: string | null | undefined,
): readonly StoredRun[] {
  const isNamed = parentId !== null && parentId !== undefined
  const isParent = ({ id, output, input }: StoredRun) =>
    id === parentId || [...output, ...input].some((item) => item['id'] === parentId)
  const named = isNamed ? runs.find(isParent) : runs.at(-1)
  const message = `No run ${JSON.stringify(parentId)} in this chat`
  const parent = isNamed ? or404(named, message, 'parent_not_found', 'parent_id') : named
  const byId = new Map(runs.map((run) => [run.id, run]))
  const chain: StoredRun[] = []
  for (let run = parent; run !== undefined; run = byId.get(run.parentId ?? '')) chain.push(run)
  return chain.toReversed()
}

const remembered = new WeakMap<RunItem, readonly Turn[]>()

function historyItem(item: InputItem): RunItem {
  if (item.type === 'message' && typeof item.content === 'string') {
    return message(item.role, item.content, item)
  }
  return item.type.startsWith('input_') ? { type: 'message', role: 'user', content: [item] } : item
}

function message(role: string, text: string, rest: object = {}): RunItem {
  const type = role === 'assistant' ? 'output_text' : 'input_text'
  return { ...rest, type: 'message', role, content: [{ type, text }] }
}

function readTurns(item: RunItem, files: Files): readonly Turn[] {
  if (item.type === 'message') {
    const { content } = item
    return [...fileTurns(content, files), { role: roleOf(item['role']), text: textOf(content) }]
  }
  if (item.type === 'function_call') return [{ role: 'assistant', text: '' }]
  if (item.type === 'function_call_output') return [{ role: 'tool', text: textOf(item['output']) }]
  return []
}

function roleOf(role: unknown): Turn['role'] {
  return role === 'assistant' || role === 'system' || role === 'developer' ? role : 'user'
}

/** Parts without text, such as images, are omitted. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .flatMap((part: { text?: string; refusal?: string }) => part.text ?? part.refusal ?? [])
    .join('\n')
}

export function historyRoutes({ store: { chats, history } }: Services): readonly Route[] {
  return [
    route('GET', '/api/v3/message', {
      summary: 'Read the history of a chat, oldest row first',
      answer: pageOf(historyRowShape),
      query: historyQuery,
      handle: async ({ query, caller }) => {
        const chat = await ownChat(chats, caller, query.chat_id, 'v3')
        return pageBody(`history ${chat.id}`, query, historyRow, ({ before = 0, limit }) =>
          history.page(chat.id, before, limit),
        )
      },
    }),
  ]
}

/** `item_type` and `item_status` are copies; absent if the item has none. */
function historyRow({ item, runId, createdAt }: HistoryRow): object {
  const copies = { item_type: item.type, item_status: item['status'] }
  return { ...copies, item, run_id: runId, created_at: isoTime(createdAt) }
}
