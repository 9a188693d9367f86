/** Chats of both versions: create, list, read, delete; for v3 also changes and favorites (sections 2.5 and 4.3). */
import { type Call, type Route, route } from '../http/call.ts'
import { titleOf } from '../model/prose.ts'
import {
  createChatRequest,
  listChatsQuery,
  searchedListQuery,
  updateChatRequest,
} from '../requests/index.ts'
import type { Services } from '../services.ts'
import type { Chat, ChatChange, ChatVersion } from '../store/types.ts'
import { chatInPath, pageBody } from './ownership.ts'
import { chatRecord, chatShape, pageOf } from './shapes.ts'
import { turnsOf } from './v3/conversation.ts'

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
      status: 201,
      answer: chatShape,
      body: createChatRequest,
      handle: async ({ body, caller }) => {
        const chat = newChat(services, caller, version, body.name)
        await chats.create(chat)
        return chatRecord(chat)
      },
    }),
    route('GET', collection, {
      summary: `List ${kind}s${order}${note}`,
      answer: pageOf(chatShape),
      query: version === 'v3' ? listChatsQuery : searchedListQuery,
      handle: ({ query, caller }) => {
        const favorite = 'exclude_favorites' in query && query.exclude_favorites ? false : undefined
        return pageBody(list, query, chatRecord, (page) =>
          chats.list(caller, { ...page, version, favorite }),
        )
      },
    }),
    route('GET', resource, {
      summary: `Get a ${kind}${note}`,
      answer: chatShape,
      handle: async (call) => chatRecord(await chatInPath(chats, call, version)),
    }),
    route('DELETE', resource, {
      summary: version === 'v3' ? 'Delete a chat with its history' : `Delete a ${kind}${note}`,
      handle: async (call) => {
        const chat = await chatInPath(chats, call, version)
        await chats.delete(call.caller, chat.id)
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

/** Changes of v3 chats: update, a generated title, and the favorites. */
export function chatChangeRoutes({ clock, store }: Services): readonly Route[] {
  const { chats, history } = store
  const resource = '/api/v3/chat/:chat_id'

  async function update(call: Call, changeOf: (chat: Chat) => ChatChange | Promise<ChatChange>) {
    const chat = await chatInPath(chats, call, 'v3')
    return chatRecord((await chats.update(chat.owner, chat.id, await changeOf(chat))) ?? chat)
  }

  return [
    route('PATCH', resource, {
      summary: 'Update a chat: its name, or whether it is a favorite',
      answer: chatShape,
      body: updateChatRequest,
      handle: (call) => {
        const { name, is_favorite } = call.body
        return update(call, () => ({ name, favorite: is_favorite, updatedAt: clock.now() }))
      },
    }),
    route('POST', `${resource}/generate-name`, {
      summary: 'Generate a title for a chat, which becomes its name',
      answer: chatShape,
      handle: (call) =>
        update(call, async ({ id }) => {
          const [first] = await history.runs(id)
          const name = titleOf(turnsOf(first?.input ?? [], new Map()))
          return { name, updatedAt: clock.now() }
        }),
    }),
    route('GET', '/api/v3/chat/favorite', {
      summary: 'List favorite chats, newest first',
      answer: pageOf(chatShape),
      query: searchedListQuery,
      handle: ({ query, caller }) =>
        pageBody('favorites', query, chatRecord, (page) =>
          chats.list(caller, { ...page, version: 'v3', favorite: true }),
        ),
    }),
    route('POST', `${resource}/favorite`, {
      summary: 'Add a chat to the favorites',
      answer: chatShape,
      handle: (call) => update(call, () => ({ favorite: true })),
    }),
    route('DELETE', `${resource}/favorite`, {
      summary: 'Remove a chat from the favorites',
      answer: chatShape,
      handle: (call) => update(call, () => ({ favorite: false })),
    }),
  ]
}
