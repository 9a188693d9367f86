/** An attachment as the service shows it (section 2.4). */
import { isoTime } from '../../runtime/clock.ts'
import type { Attachment } from '../../store/types.ts'

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
