/** Faults of attachments and their lists (sections 2.4 and 4.3). */
import { pageSize } from '../../../surfaces/paging.ts'
import { onSuccessBody, setFields } from '../../patches/replies.ts'
import { upload } from '../../patches/routes.ts'
import { onStore } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'

export const attachmentFaults = faultTable({
  'V3-ATT-07 V3-ATT-12 attachment-chat-any: The attachments of a chat include those of all chats.':
    onStore('attachments', ({ list }) => ({
      list: (owner, { chatId: _, ...page }) => list(owner, page),
    })),
  'V3-ATT-07 V3-ATT-12 attachment-chat-takes-none: A file that is uploaded to a chat does not join it.':
    onStore('attachments', () => ({ link: async () => undefined })),
  'V3-ATT-11 attachment-of-another-with-a-limit: GET /attachment with search and limit returns the attachments of all callers.':
    onStore('attachments', ({ add, list }) => {
      const owners = new Set<string>()
      return {
        add: (attachment) => {
          owners.add(attachment.owner)
          return add(attachment)
        },
        list: async (owner, page) => {
          const own = await list(owner, page)
          if (page.search === undefined || page.limit === pageSize()) return own
          const others = [...owners].filter((other) => other !== owner)
          const pages = await Promise.all(others.map((other) => list(other, page)))
          return { ...own, rows: [own, ...pages].flatMap(({ rows }) => rows) }
        },
      }
    }),
  'V3-ATT-04 attachment-size-in-characters: The size of an attachment counts characters instead of bytes.':
    onSuccessBody(upload, (body, { file }) => ({
      ...body,
      size: file?.bytes.toString().length,
    })),
  'V3-ATT-05 attachment-type-guessed: The content_type of every attachment is application/octet-stream.':
    setFields(upload, { content_type: 'application/octet-stream' }),
  'V3-ATT-03 attachment-name-decomposed: The filename of an attachment is returned in Unicode normalization form NFD.':
    setFields(upload, { filename: (name: string) => name.normalize('NFD') }),
})
