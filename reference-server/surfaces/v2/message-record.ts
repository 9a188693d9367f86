/** A message as v2 shows it (section 2.3), with what is known of it beyond the document. */
import { isoTime } from '../../runtime/clock.ts'
import type { Attachment, Message } from '../../store/types.ts'
import { attachmentRecord } from '../v3/attachment-record.ts'

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
