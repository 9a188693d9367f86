/** Chats of both versions: create, list, read, delete (sections 2.5 and 4.3). */

import { type Route, route } from '../http/call.ts'
import { createChatRequest, listChatsQuery, searchedListQuery } from '../requests/index.ts'
import type { Services } from '../services.ts'
import type { Chat, ChatVersion } from '../store/types.ts'
import { ownChat } from './ownership.ts'
import { pageReply } from './paging.ts'
import { chatPageShape, chatRecord, chatShape } from './shapes.ts'

/** The document shows these routes for v3 chats only. */
const texts = {
  v2: {
    list: 'v2 chats',
    kind: 'v2 chat',
    note: ' (not part of the interface document)',
    order: '',
  },
  v3: { list: 'chats', kind: 'chat', note: '', order: ', newest first' },
} as const

export function chatRoutes(services: Services, version: ChatVersion): readonly Route[] {
  const { chats } = services.store
  const { list, kind, note, order } = texts[version]
  const collection = `/api/${version}/chat`
  const resource = `${collection}/:chat_id`
  return [
    route('POST', collection, {
      summary: `Create a ${kind}${note}`,
      answer: { status: 201, body: chatShape },
      body: createChatRequest,
      handle: async ({ body, caller }) => {
        const chat = newChat(services, caller, version, body.name)
        await chats.create(chat)
        return { status: 201, body: chatRecord(chat) }
      },
    }),
    route('GET', collection, {
      summary: `List ${kind}s${order}${note}`,
      answer: { status: 200, body: chatPageShape },
      query: version === 'v3' ? listChatsQuery : searchedListQuery,
      handle: ({ query, caller }) => {
        const favorite = 'exclude_favorites' in query && query.exclude_favorites ? false : undefined
        return pageReply(list, query, chatRecord, (page) =>
          chats.list(caller, { ...page, version, favorite }),
        )
      },
    }),
    route('GET', resource, {
      summary: `Get a ${kind}${note}`,
      answer: { status: 200, body: chatShape },
      handle: async ({ caller, params }) => {
        const chat = await ownChat(chats, caller, params['chat_id'] ?? '', version)
        return { status: 200, body: chatRecord(chat) }
      },
    }),
    route('DELETE', resource, {
      summary: version === 'v3' ? 'Delete a chat with its history' : `Delete a ${kind}${note}`,
      answer: { status: 204 },
      handle: async ({ caller, params }) => {
        const chat = await ownChat(chats, caller, params['chat_id'] ?? '', version)
        await chats.delete(caller, chat.id)
        return { status: 204 }
      },
    }),
  ]
}

export function newChat(
  { clock, ids }: Pick<Services, 'clock' | 'ids'>,
  owner: string,
  version: ChatVersion,
  name = 'New chat',
): Chat {
  const now = clock.now()
  return { id: ids.uuid(), owner, name, version, favorite: false, createdAt: now, updatedAt: now }
}
