/** Faults of the attachments of a chat (section 4.3). */
import { toObject } from '../../../patches/json.ts'
import { onRequest } from '../../../patches/requests.ts'
import { fileList } from '../../../patches/routes.ts'
import { compose, onStore, perServer } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'

export const chatAttachmentFaults = faultTable({
  'V3-ATT-07': {
    'attachment-chat-takes-one: A chat takes one attachment; further ones are not listed with it.':
      {
        also: ['V3-ATT-12'],
        patch: onStore('attachments', ({ link }) => {
          const chats = new Set<string>()
          return {
            link: async (chat, id) => {
              if (chats.has(chat)) return
              chats.add(chat)
              await link(chat, id)
            },
          }
        }),
      },
    'attachment-chat-takes-none: A file that is uploaded to a chat does not join it.': {
      also: ['V3-ATT-12'],
      patch: onStore('attachments', () => ({ link: async () => undefined })),
    },
  },
  'V3-ATT-11': {
    'attachment-of-another-with-a-limit: GET /attachment with search and limit returns the attachments of all callers.':
      perServer(() => {
        const owners = new Set<string>()
        const limited = new Set<unknown>()
        return compose([
          onRequest(fileList, (call) => {
            const { search, limit } = toObject(call.query)
            if (limit !== undefined) limited.add(search)
            return call
          }),
          onStore('attachments', ({ add, list }) => ({
            add: (attachment) => {
              owners.add(attachment.owner)
              return add(attachment)
            },
            list: async (owner, page) => {
              const own = await list(owner, page)
              if (page.search === undefined || !limited.has(page.search)) return own
              const others = [...owners].filter((other) => other !== owner)
              const pages = await Promise.all(others.map((other) => list(other, page)))
              return { ...own, rows: [own, ...pages].flatMap(({ rows }) => rows) }
            },
          })),
        ])
      }),
  },
  'V3-ATT-08': {
    'attachment-chat-search-by-id-ignored: GET /attachment with chat_id ignores search.': onRequest(
      fileList,
      (call) => {
        const { search: _, ...query } = toObject(call.query)
        return 'chat_id' in query ? { ...call, query } : call
      },
    ),
  },
})
