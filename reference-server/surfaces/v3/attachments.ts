/** Attachments (section 4.3): upload, the list of the caller, the list of a chat. */

import { type Route, route } from '../../http/call.ts'
import { uploadedFile } from '../../http/form.ts'
import { listAttachmentsQuery, searchedListQuery, uploadFields } from '../../requests/index.ts'
import type { Services } from '../../services.ts'
import type { Attachment } from '../../store/types.ts'
import { ownChat, uploadedContent } from '../ownership.ts'
import { pageReply } from '../paging.ts'
import { attachmentPageShape, attachmentRecord, attachmentShape } from '../shapes.ts'

const path = '/api/v3/attachment'

export function attachmentRoutes({ clock, ids, store }: Services): readonly Route[] {
  const { attachments, chats } = store

  const listed = (caller: string, query: ListQuery, chatId?: string) =>
    pageReply(`attachments ${chatId ?? ''}`, query, attachmentRecord, (page) =>
      attachments.list(caller, { ...page, chatId }),
    )

  return [
    route('POST', path, {
      summary: 'Upload a file, into a chat if the field chat_id names one',
      answer: { status: 201, body: attachmentShape },
      accepts: 'form',
      body: uploadFields,
      handle: async (call) => {
        const { caller } = call
        const { chat_id } = call.body
        const file = uploadedFile(call)
        const chat = chat_id === undefined ? undefined : await ownChat(chats, caller, chat_id, 'v3')
        const { text = null, ...content } = await uploadedContent(file)
        const own = { id: ids.uuid(), owner: caller, createdAt: clock.now() }
        const attachment: Attachment = { ...own, ...content, text }
        await attachments.add(attachment)
        if (chat !== undefined) await attachments.link(chat.id, attachment.id)
        return { status: 201, body: attachmentRecord(attachment) }
      },
    }),
    route('GET', path, {
      summary: 'List attachments, newest first: all, or those of a chat',
      answer: { status: 200, body: attachmentPageShape },
      query: listAttachmentsQuery,
      handle: async ({ query, caller }) => {
        const { chat_id } = query
        const chat = chat_id === undefined ? undefined : await ownChat(chats, caller, chat_id, 'v3')
        return listed(caller, query, chat?.id)
      },
    }),
    route('GET', '/api/v3/chat/:chat_id/attachments', {
      summary: 'List the attachments of a chat, newest first',
      answer: { status: 200, body: attachmentPageShape },
      query: searchedListQuery,
      handle: async ({ query, params, caller }) => {
        const chat = await ownChat(chats, caller, params['chat_id'] ?? '', 'v3')
        return listed(caller, query, chat.id)
      },
    }),
  ]
}

type ListQuery = Parameters<typeof pageReply>[1]
