/** Faults of attachments and their lists (sections 2.4 and 4.3). */
import type { Call } from '../../../http/call.ts'
import type { Patch } from '../../../services.ts'
import type { AttachmentPageRequest } from '../../../store/types.ts'
import { pageSize } from '../../../surfaces/paging.ts'
import { toObject } from '../../patches/json.ts'
import { onSuccessBody, setFields } from '../../patches/replies.ts'
import { onRequest } from '../../patches/requests.ts'
import { chatFiles, fileList, type RoutePattern, upload } from '../../patches/routes.ts'
import { compose, onStore } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'

/** Marks a search as not limited to a chat; no file name starts with this character. */
const anyChat = '\u0000'
export const attachmentFaults = faultTable({
  'V3-ATT-06': {
    'attachment-list-of-chats-alone: GET /attachment without chat_id and search returns an empty list.':
      'v3.attachments: the list is empty (chat_id: not given; search: not given)',
    'attachment-replaced-by-its-name: An upload replaces the earlier file of the same name.':
      onStore('attachments', ({ list }) => ({
        list: async (owner, page) => {
          const { rows, next } = await list(owner, page)
          const latest = new Map(rows.map((row) => [row.filename, row]))
          return { rows: [...latest.values()], next }
        },
      })),
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
    'attachment-of-another-with-a-limit: GET /attachment with search and limit returns the attachments of all callers.':
      listAllOwners(({ search, limit }) => search !== undefined && limit !== pageSize()),
  },
  'V3-ATT-04': {
    'attachment-size-in-characters: The size of an attachment counts characters instead of bytes.':
      onSuccessBody(upload, (body, { file }) => ({
        ...body,
        size: file?.bytes.toString().length,
      })),
    'attachment-size-without-line-ends: The size of an attachment counts CRLF as one byte.':
      onSuccessBody(upload, (body, { file }) => ({
        ...body,
        size: file?.bytes.toString('latin1').replaceAll('\r\n', '\n').length,
      })),
    'attachment-size-off-by-one: The size of an attachment is too high by one byte.': changeSize(
      (bytes) => bytes + 1,
    ),
    'attachment-size-in-kilobytes: The size of an attachment is in kilobytes.': changeSize(
      (bytes) => bytes / 1000,
    ),
  },
  'V3-ATT-05': {
    'attachment-type-guessed: The content_type of every attachment is application/octet-stream.':
      setFields(upload, { content_type: 'application/octet-stream' }),
  },
  'V3-ATT-03': {
    'attachment-name-latin: The filename of an attachment is decoded as Latin-1.': changeFilename(
      (name) => Buffer.from(name).toString('latin1'),
    ),
    'attachment-name-escaped: The filename of an attachment is percent-encoded.':
      changeFilename(encodeURIComponent),
    'attachment-name-decomposed: The filename of an attachment is returned in Unicode normalization form NFD.':
      changeFilename((name) => name.normalize('NFD')),
    'attachment-name-underscored: The filename of an attachment has underscores instead of spaces.':
      changeFilename((name) => name.replaceAll(' ', '_')),
    'attachment-name-bare: The filename of an attachment omits the extension.': changeFilename(
      (name) => name.replace(/\.\w+$/, ''),
    ),
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

function changeFilename(make: (filename: string) => string): Patch {
  return setFields(upload, { filename: make })
}

function changeSize(make: (bytes: number) => unknown): Patch {
  return setFields(upload, { size: make })
}
