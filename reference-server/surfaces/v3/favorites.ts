/** Favorite chats (sections 2.5 and 4.3). */

import { searchedListQuery } from '../../../contract/requests/index.ts'
import { type Call, type Reply, type Route, route } from '../../http/call.ts'
import type { Services } from '../../services.ts'
import { ownChat } from '../ownership.ts'
import { pageBody, pageSize, readCursor } from '../paging.ts'
import { chatRecord } from '../records.ts'
import { chatPageShape, chatShape } from '../shapes.ts'

const one = '/api/v3/chat/:chat_id/favorite'
const list = 'favorites'

export function favoriteRoutes({ store: { chats } }: Services): readonly Route[] {
  const mark = async ({ caller, params }: Call, favorite: boolean): Promise<Reply> => {
    const chat = await ownChat(chats, caller, params['chat_id'] ?? '', 'v3')
    const marked = await chats.update(caller, chat.id, { favorite })
    return { status: 200, body: chatRecord(marked ?? chat) }
  }
  return [
    route({
      method: 'GET',
      path: '/api/v3/chat/favorite',
      summary: 'List favorite chats, newest first',
      answer: { status: 200, body: chatPageShape },
      query: searchedListQuery,
      handle: async ({ query, caller }) => {
        const page = await chats.list(caller, {
          version: 'v3',
          favorite: true,
          limit: pageSize(query.limit),
          before: readCursor(list, query.cursor),
          search: query.search,
        })
        return { status: 200, body: pageBody(list, page, chatRecord) }
      },
    }),
    route({
      method: 'POST',
      path: one,
      summary: 'Add a chat to the favorites',
      answer: { status: 200, body: chatShape },
      handle: (call) => mark(call, true),
    }),
    route({
      method: 'DELETE',
      path: one,
      summary: 'Remove a chat from the favorites',
      answer: { status: 200, body: chatShape },
      handle: (call) => mark(call, false),
    }),
  ]
}
