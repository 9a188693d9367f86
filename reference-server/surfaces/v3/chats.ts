/** Chats (section 4.3, prefix /chat). */
import { createChatRequest, listChatsQuery } from '../../../harness/contract/requests/index.ts'
import { isoTime } from '../../clock.ts'
import { type Route, route } from '../../http/call.ts'
import type { Parts } from '../../parts.ts'
import type { Chat } from '../../store/types.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { ownV3Chat } from './own-chat.ts'
import { pageSize } from './page-size.ts'

const one = '/api/v3/chat/:chat_id'
const list = 'chats'

export function chatRoutes({ clock, ids, store: { chats } }: Parts): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/v3/chat',
      body: createChatRequest,
      handle: async ({ body, caller }) => {
        const now = clock.now()
        const chat: Chat = {
          id: ids.uuid(),
          owner: caller,
          name: body.name ?? 'New chat',
          version: 'v3',
          favorite: false,
          createdAt: now,
          updatedAt: now,
        }
        await chats.create(chat)
        return { status: 201, body: chatRecord(chat) }
      },
    }),
    route({
      method: 'GET',
      path: '/api/v3/chat',
      query: listChatsQuery,
      handle: async ({ query, caller }) => {
        const { rows, next } = await chats.list(caller, {
          version: 'v3',
          limit: pageSize(query.limit),
          before: readCursor(list, query.cursor),
          search: query.search,
        })
        const pagination = { cursor: writeCursor(list, next) }
        return { status: 200, body: { result: rows.map(chatRecord), pagination } }
      },
    }),
    route({
      method: 'GET',
      path: one,
      handle: async ({ params, caller }) => {
        const chat = await ownV3Chat(chats, caller, params['chat_id'] ?? '')
        return { status: 200, body: chatRecord(chat) }
      },
    }),
    route({
      method: 'DELETE',
      path: one,
      handle: async ({ params, caller }) => {
        const chat = await ownV3Chat(chats, caller, params['chat_id'] ?? '')
        await chats.delete(caller, chat.id)
        return { status: 204 }
      },
    }),
  ]
}

function chatRecord(chat: Chat): object {
  return {
    id: chat.id,
    name: chat.name,
    version: chat.version,
    is_favorite: chat.favorite,
    created_at: isoTime(chat.createdAt),
    updated_at: isoTime(chat.updatedAt),
  }
}
