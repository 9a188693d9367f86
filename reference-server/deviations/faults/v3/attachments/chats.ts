/** Faults of the attachments of a chat (section 4.3). */
import { toObject } from '../../../patches/json.ts'
import { onRequest } from '../../../patches/requests.ts'
import { fileList } from '../../../patches/routes.ts'
import { compose, onStore, perServer } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'

export const chatAttachmentFaults: readonly Fault[] = [
  {
    name: 'attachment-chat-takes-one',
    summary: 'A chat takes one attachment; further ones are not listed with it.',
    breaks: ['V3-ATT-07', 'V3-ATT-12'],
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
  {
    name: 'attachment-chat-takes-none',
    summary: 'A file that is uploaded to a chat does not join it.',
    breaks: ['V3-ATT-07', 'V3-ATT-12'],
    patch: onStore('attachments', () => ({ link: async () => undefined })),
  },
  {
    name: 'attachment-of-another-with-a-limit',
    summary: 'GET /attachment with search and limit returns the attachments of all callers.',
    breaks: ['V3-ATT-11'],
    patch: perServer(() => {
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
  {
    name: 'attachment-chat-search-by-id-ignored',
    summary: 'GET /attachment with chat_id ignores search.',
    breaks: ['V3-ATT-08'],
    patch: onRequest(fileList, (call) => {
      const { search: _, ...query } = toObject(call.query)
      return 'chat_id' in query ? { ...call, query } : call
    }),
  },
]
