/** Chats (section 4.3, prefix /chat): create, list, read, update, delete. */

import {
  createChatRequest,
  listChatsQuery,
  updateChatRequest,
} from '../../../contract/requests/index.ts'
import { type Call, type Route, route } from '../../http/call.ts'
import type { Services } from '../../services.ts'
import type { Chat } from '../../store/types.ts'
import { chatRecord, newChat } from '../chat-record.ts'
import { pageBody, readCursor } from '../cursor.ts'
import { ownChat } from '../own-chat.ts'
import { pageSize } from '../page-size.ts'
import { chatPageShape, chatShape } from '../shapes.ts'

const all = '/api/v3/chat'
const one = '/api/v3/chat/:chat_id'
const list = 'chats'

export function chatRoutes(services: Services): readonly Route[] {
  const { clock, store } = services
  const { chats } = store
  const named = ({ caller, params }: Call): Promise<Chat> =>
    ownChat(chats, caller, params['chat_id'] ?? '', 'v3')
  return [
    route({
      method: 'POST',
      path: all,
      summary: 'Create a chat',
      answer: { status: 201, body: chatShape },
      body: createChatRequest,
      handle: async ({ body, caller }) => {
        const chat = newChat(services, caller, 'v3', body.name)
        await chats.create(chat)
        return { status: 201, body: chatRecord(chat) }
      },
    }),
    route({
      method: 'GET',
      path: all,
      summary: 'List chats, newest first',
      answer: { status: 200, body: chatPageShape },
      query: listChatsQuery,
      handle: async ({ query, caller }) => {
        const page = await chats.list(caller, {
          version: 'v3',
          limit: pageSize(query.limit),
          before: readCursor(list, query.cursor),
          search: query.search,
          favorite: query.exclude_favorites === true ? false : undefined,
        })
        return { status: 200, body: pageBody(list, page, chatRecord) }
      },
    }),
    route({
      method: 'GET',
      path: one,
      summary: 'Get a chat',
      answer: { status: 200, body: chatShape },
      handle: async (call) => ({ status: 200, body: chatRecord(await named(call)) }),
    }),
    route({
      method: 'PATCH',
      path: one,
      summary: 'Update a chat: its name, or whether it is a favorite',
      answer: { status: 200, body: chatShape },
      body: updateChatRequest,
      handle: async (call) => {
        const chat = await named(call)
        const { name = chat.name, is_favorite: favorite = chat.favorite } = call.body
        const change = { name, favorite, updatedAt: clock.now() }
        const changed = await chats.update(call.caller, chat.id, change)
        return { status: 200, body: chatRecord(changed ?? chat) }
      },
    }),
    route({
      method: 'DELETE',
      path: one,
      summary: 'Delete a chat with its history',
      answer: { status: 204 },
      handle: async (call) => {
        const chat = await named(call)
        await chats.delete(call.caller, chat.id)
        return { status: 204 }
      },
    }),
  ]
}
