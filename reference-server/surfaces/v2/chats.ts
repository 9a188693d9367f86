/** v2 chats. The document does not show how they come to be: these routes are an addition of ours. */

import { createChatRequest, searchedListQuery } from '../../../contract/requests/index.ts'
import { type Route, route } from '../../http/call.ts'
import type { Services } from '../../services.ts'
import { chatRecord, newChat } from '../chat-record.ts'
import { pageBody, readCursor } from '../cursor.ts'
import { ownChat } from '../own-chat.ts'
import { pageSize } from '../page-size.ts'
import { chatPageShape, chatShape } from '../shapes.ts'

const all = '/api/v2/chat'
const one = '/api/v2/chat/:chat_id'
const list = 'v2 chats'

export function v2ChatRoutes(services: Services): readonly Route[] {
  const { chats } = services.store
  return [
    route({
      method: 'POST',
      path: all,
      summary: 'Create a v2 chat (not part of the interface document)',
      answer: { status: 201, body: chatShape },
      body: createChatRequest,
      handle: async ({ body, caller }) => {
        const chat = newChat(services, caller, 'v2', body.name)
        await chats.create(chat)
        return { status: 201, body: chatRecord(chat) }
      },
    }),
    route({
      method: 'GET',
      path: all,
      summary: 'List v2 chats (not part of the interface document)',
      answer: { status: 200, body: chatPageShape },
      query: searchedListQuery,
      handle: async ({ query, caller }) => {
        const page = await chats.list(caller, {
          version: 'v2',
          limit: pageSize(query.limit),
          before: readCursor(list, query.cursor),
          search: query.search,
        })
        return { status: 200, body: pageBody(list, page, chatRecord) }
      },
    }),
    route({
      method: 'GET',
      path: one,
      summary: 'Get a v2 chat (not part of the interface document)',
      answer: { status: 200, body: chatShape },
      handle: async ({ params, caller }) => {
        const chat = await ownChat(chats, caller, params['chat_id'] ?? '', 'v2')
        return { status: 200, body: chatRecord(chat) }
      },
    }),
    route({
      method: 'DELETE',
      path: one,
      summary: 'Delete a v2 chat (not part of the interface document)',
      answer: { status: 204 },
      handle: async ({ params, caller }) => {
        const chat = await ownChat(chats, caller, params['chat_id'] ?? '', 'v2')
        await chats.delete(caller, chat.id)
        return { status: 204 }
      },
    }),
  ]
}
