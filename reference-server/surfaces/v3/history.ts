/** GET /api/v3/message: the history of a chat, oldest row first (sections 2.6 and 4.3). */
import { historyQuery } from '../../../harness/contract/requests/index.ts'
import { isoTime } from '../../clock.ts'
import { type Route, route } from '../../http/call.ts'
import type { Parts } from '../../parts.ts'
import type { HistoryRow } from '../../store/types.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { ownV3Chat } from './own-chat.ts'
import { pageSize } from './page-size.ts'

export function historyRoutes({ store: { chats, history } }: Parts): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/v3/message',
      query: historyQuery,
      handle: async ({ query, caller }) => {
        const chat = await ownV3Chat(chats, caller, query.chat_id)
        const list = `history ${chat.id}`
        const after = readCursor(list, query.cursor) ?? 0
        const { rows, next } = await history.page(chat.id, after, pageSize(query.limit))
        const pagination = { cursor: writeCursor(list, next) }
        return { status: 200, body: { result: rows.map(historyRow), pagination } }
      },
    }),
  ]
}

/** `item_type` and `item_status` are copies, and missing where the item has none. */
function historyRow({ item, runId, createdAt }: HistoryRow): object {
  return {
    item_type: item.type,
    item_status: item['status'],
    item,
    run_id: runId,
    created_at: isoTime(createdAt),
  }
}
