/** GET /api/v3/message: the history of a chat, oldest row first (sections 2.6 and 4.3). */

import { historyQuery } from '../../../contract/requests/index.ts'
import { type Route, route } from '../../http/call.ts'
import { isoTime } from '../../runtime/clock.ts'
import type { Services } from '../../services.ts'
import type { HistoryRow } from '../../store/types.ts'
import { ownChat } from '../ownership.ts'
import { pageBody, pageSize, readCursor } from '../paging.ts'
import { historyPageShape } from '../shapes.ts'

export function historyRoutes({ store: { chats, history } }: Services): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/v3/message',
      summary: 'Read the history of a chat, oldest row first',
      answer: { status: 200, body: historyPageShape },
      query: historyQuery,
      handle: async ({ query, caller }) => {
        const chat = await ownChat(chats, caller, query.chat_id, 'v3')
        const list = `history ${chat.id}`
        const after = readCursor(list, query.cursor) ?? 0
        const page = await history.page(chat.id, after, pageSize(query.limit))
        return { status: 200, body: pageBody(list, page, historyRow) }
      },
    }),
  ]
}

/** `item_type` and `item_status` are copies, and missing if the item has none. */
function historyRow({ item, runId, createdAt }: HistoryRow): object {
  return {
    item_type: item.type,
    item_status: item['status'],
    item,
    run_id: runId,
    created_at: isoTime(createdAt),
  }
}
