/** Changes of v3 chats: update, and a generated title (section 4.3). */

import { type Call, type Reply, type Route, route } from '../../http/call.ts'
import { titleOf } from '../../model/prose.ts'
import { searchedListQuery, updateChatRequest } from '../../requests/index.ts'
import type { Services } from '../../services.ts'
import type { Chat, ChatChange } from '../../store/types.ts'
import { ownChat } from '../ownership.ts'
import { pageReply } from '../paging.ts'
import { chatPageShape, chatRecord, chatShape } from '../shapes.ts'
import { turnsOf } from './conversation.ts'

const resource = '/api/v3/chat/:chat_id'

export function chatChangeRoutes({ clock, store }: Services): readonly Route[] {
  const { chats, history } = store

  function find({ caller, params }: Call): Promise<Chat> {
    return ownChat(chats, caller, params['chat_id'] ?? '', 'v3')
  }

  async function update(chat: Chat, change: ChatChange): Promise<Reply> {
    const changed = await chats.update(chat.owner, chat.id, { ...change, updatedAt: clock.now() })
    return { status: 200, body: chatRecord(changed ?? chat) }
  }

  return [
    route('PATCH', resource, {
      summary: 'Update a chat: its name, or whether it is a favorite',
      answer: { status: 200, body: chatShape },
      body: updateChatRequest,
      handle: async (call) => {
        const chat = await find(call)
        const { name = chat.name, is_favorite: favorite = chat.favorite } = call.body
        return update(chat, { name, favorite })
      },
    }),
    route('POST', `${resource}/generate-name`, {
      summary: 'Generate a title for a chat, which becomes its name',
      answer: { status: 200, body: chatShape },
      handle: async (call) => {
        const chat = await find(call)
        const [first] = await history.runs(chat.id)
        return update(chat, { name: titleOf(turnsOf(first?.input ?? [], new Map())) })
      },
    }),
  ]
}

const one = '/api/v3/chat/:chat_id/favorite'

export function favoriteRoutes({ store: { chats } }: Services): readonly Route[] {
  const mark = async ({ caller, params }: Call, favorite: boolean): Promise<Reply> => {
    const chat = await ownChat(chats, caller, params['chat_id'] ?? '', 'v3')
    const marked = await chats.update(caller, chat.id, { favorite })
    return { status: 200, body: chatRecord(marked ?? chat) }
  }
  return [
    route('GET', '/api/v3/chat/favorite', {
      summary: 'List favorite chats, newest first',
      answer: { status: 200, body: chatPageShape },
      query: searchedListQuery,
      handle: ({ query, caller }) =>
        pageReply('favorites', query, chatRecord, (page) =>
          chats.list(caller, { ...page, version: 'v3', favorite: true }),
        ),
    }),
    route('POST', one, {
      summary: 'Add a chat to the favorites',
      answer: { status: 200, body: chatShape },
      handle: (call) => mark(call, true),
    }),
    route('DELETE', one, {
      summary: 'Remove a chat from the favorites',
      answer: { status: 200, body: chatShape },
      handle: (call) => mark(call, false),
    }),
  ]
}
