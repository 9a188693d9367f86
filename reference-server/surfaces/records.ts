/** Stored objects as the native surfaces show them. */
import { isoTime } from '../runtime/clock.ts'
import type { Attachment, Chat, Message } from '../store/types.ts'

/** Section 2.5. */
export function chatRecord(chat: Chat): object {
  return {
    id: chat.id,
    name: chat.name,
    version: chat.version,
    is_favorite: chat.favorite,
    created_at: isoTime(chat.createdAt),
    updated_at: isoTime(chat.updatedAt),
  }
}

/** Section 2.4. */
export function attachmentRecord(attachment: Attachment): object {
  return {
    id: attachment.id,
    filename: attachment.filename,
    content_type: attachment.contentType,
    bucket: 'attachments',
    size: attachment.size,
    created_at: isoTime(attachment.createdAt),
  }
}

/** Section 2.3, with members that the document does not show. */
export function messageRecord(message: Message, attachments: readonly Attachment[] = []): object {
  return {
    id: message.id,
    chat_id: message.chatId,
    model_id: message.modelId,
    role: message.role,
    content: message.content,
    created_at: isoTime(message.createdAt),
    parent_id: message.parentId,
    assistant_id: message.assistantId,
    think: message.think,
    rag: message.rag,
    attachments: attachments.map(attachmentRecord),
  }
}
