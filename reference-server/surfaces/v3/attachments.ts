/** Attachments (section 4.3): upload, the list of the caller, the list of a chat. */

import { uploadedFile } from '../../http/body.ts'
import { type Route, route } from '../../http/call.ts'
import { listAttachmentsQuery, searchedListQuery, uploadFields } from '../../requests/index.ts'
import type { Services } from '../../services.ts'
import type { Attachment, Chat } from '../../store/types.ts'
import { chatInPath, ownChat, pageBody, uploadedContent } from '../ownership.ts'
import { attachmentRecord, attachmentShape, pageOf } from '../shapes.ts'

const path = '/api/v3/attachment'

export function attachmentRoutes({ clock, ids, store }: Services): readonly Route[] {
  const { attachments, chats } = store

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
