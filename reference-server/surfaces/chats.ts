/** Chats of both versions: create, list, read, delete; for v3 also changes, favorites and attachments (sections 2.4, 2.5 and 4.3). */
import { uploadedFile } from '../http/body.ts'
import { type Call, type Route, route } from '../http/call.ts'
import { titleOf } from '../model/prose.ts'
import {
  createChatRequest,
  listAttachmentsQuery,
  listChatsQuery,
  searchedListQuery,
  updateChatRequest,
  uploadFields,
} from '../requests/native.ts'
import type { Services } from '../services.ts'
import type { Attachment, Chat, ChatChange, ChatVersion } from '../store/types.ts'
import { chatInPath, ownChat, pageBody, uploadedContent } from './ownership.ts'
import { attachmentRecord, attachmentShape, chatRecord, chatShape, pageOf } from './shapes.ts'
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

/** Attachments (section 4.3): upload, the list of the caller, the list of a chat. */
export function attachmentRoutes({ clock, ids, store }: Services): readonly Route[] {
  const { attachments, chats } = store
  const path = '/api/v3/attachment'

  const named = async (caller: string, id: string | undefined) =>
    id === undefined ? undefined : ownChat(chats, caller, id, 'v3')

  const listed = (caller: string, query: ListQuery, chat: Chat | undefined) =>
    pageBody(`attachments ${chat?.id ?? ''}`, query, attachmentRecord, (page) =>
      attachments.list(caller, { ...page, chatId: chat?.id }),
    )

  return [
    route('POST', path, {
      summary: 'Upload a file, and link it to the chat that the optional field chat_id names',
      status: 201,
      answer: attachmentShape,
      accepts: 'form',
      body: uploadFields,
      handle: async (call) => {
        const { caller } = call
        const file = uploadedFile(call)
        const chat = await named(caller, call.body.chat_id)
        const { text = null, ...content } = uploadedContent(file)
        const own = { id: ids.uuid(), owner: caller, createdAt: clock.now() }
        const attachment: Attachment = { ...own, ...content, text }
        await attachments.add(attachment)
        if (chat !== undefined) await attachments.link(chat.id, attachment.id)
        return attachmentRecord(attachment)
      },
    }),
    route('GET', path, {
      summary: 'List attachments, newest first: all, or those of a chat',
      answer: pageOf(attachmentShape),
      query: listAttachmentsQuery,
      handle: async ({ query, caller }) =>
        listed(caller, query, await named(caller, query.chat_id)),
    }),
    route('GET', '/api/v3/chat/:chat_id/attachments', {
      summary: 'List the attachments of a chat, newest first',
      answer: pageOf(attachmentShape),
      query: searchedListQuery,
      handle: async (call) => listed(call.caller, call.query, await chatInPath(chats, call, 'v3')),
    }),
  ]
}

type ListQuery = Parameters<typeof pageBody>[1]
