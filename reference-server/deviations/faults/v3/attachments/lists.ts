/** Faults of the lists of attachments (section 4.3): the caller's, and those of a chat. */
import type { Call } from '../../../../http/call.ts'
import type { Patch } from '../../../../services.ts'
import type { AttachmentPageRequest } from '../../../../store/types.ts'
import { toObject } from '../../../patches/json.ts'
import { setFields } from '../../../patches/replies.ts'
import { onRequest } from '../../../patches/requests.ts'
import { chatFiles, fileList, type RoutePattern } from '../../../patches/routes.ts'
import { compose, onStore, perServer } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'

export const attachmentListFaults = faultTable({
  'V3-ATT-06': {
    'attachment-list-of-chats-alone: GET /attachment without chat_id and search returns an empty list.':
      'v3.attachments: the list is empty (chat_id: not given; search: not given)',
    'attachment-list-without-names: GET /attachment omits the names and ids of attachments.':
      setFields(fileList, { 'result.*': ({ size }: { size: number }) => ({ size }) }),
  },
  'V3-ATT-07': {
    'attachment-chat-any: The attachments of a chat include those of all chats.': {
      also: ['V3-ATT-12'],
      patch: onStore('attachments', ({ list, link }) => {
        const linked = new Set<string>()
        return {
          link: (chat, id) => link(chat, linked.add(id) && id),
          list: async (owner, { chatId, ...page }) => {
            const { rows, next } = await list(owner, page)
            return { rows: rows.filter(({ id }) => chatId === undefined || linked.has(id)), next }
          },
        }
      }),
    },
  },
  'V3-ATT-08': {
    'attachment-search-by-type: GET /attachment with search finds no file by its name.':
      'v3.attachments: the list is empty (search: given)',
  },
  'V3-ATT-09': {
    'attachment-limit-one-more: GET /attachment returns one attachment more than limit.':
      'v3.attachments: a page has one row more than limit',
  },
  'V3-ATT-10': {
    'attachment-cursor-skips-one: GET /attachment omits one attachment between two pages.':
      'v3.attachments: the first row is lost (cursor: given)',
  },
  'V3-ATT-12': {
    'attachment-chat-list-of-all: GET /chat/{chat_id}/attachments returns all attachments of the caller.':
      listAllChats(chatFiles, () => true),
  },
  'V3-ATT-11': {
    'attachment-of-another-found: GET /attachment with search returns the attachments of all callers.':
      listAllOwners(({ search }) => search !== undefined),
  },
})

function editPageRequest(change: (page: AttachmentPageRequest) => AttachmentPageRequest): Patch {
  return onStore('attachments', ({ list }) => ({
    list: (owner, page) => list(owner, change(page)),
  }))
}

function listAllOwners(when: (page: AttachmentPageRequest) => boolean): Patch {
  return onStore('attachments', ({ add, list }) => {
    const owners = new Set<string>()
    return {
      add: (attachment) => {
        owners.add(attachment.owner)
        return add(attachment)
      },
      list: async (owner, page) => {
        const own = await list(owner, page)
        const others = [...owners].filter((other) => other !== owner && when(page))
        const pages = await Promise.all(others.map((other) => list(other, page)))
        return { ...own, rows: [own, ...pages].flatMap(({ rows }) => rows) }
      },
    }
  })
}

/** Marks a search as not limited to a chat; no file name starts with this character. */
const anyChat = '\u0000'

/** Validates the chat but lists the attachments of all chats. */
function listAllChats(route: RoutePattern, when: (call: Call) => boolean): Patch {
  return compose([
    onRequest(route, (call) => {
      const query = toObject(call.query)
      const search = `${anyChat}${query['search'] ?? ''}`
      return when(call) ? { ...call, query: { ...query, search } } : call
    }),
    editPageRequest((page) =>
      page.search?.startsWith(anyChat)
        ? { ...page, chatId: undefined, search: page.search.slice(anyChat.length) }
        : page,
    ),
  ])
}

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
})
