/** Faults of the lists of attachments (section 4.3): the caller's, and those of a chat. */
import type { Call } from '../../../../http/call.ts'
import type { Patch } from '../../../../services.ts'
import type { Attachment, AttachmentPageRequest, Page } from '../../../../store/types.ts'
import { toObject } from '../../../patches/json.ts'
import { failAfterSuccess, onSuccessBody, setField } from '../../../patches/replies.ts'
import { ignoreQuery, onRequest, rejectRequests } from '../../../patches/requests.ts'
import { chatFiles, fileList, type RoutePattern } from '../../../patches/routes.ts'
import { compose, onStore } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'

const emptyPage = { rows: [], next: null }

export const attachmentListFaults: readonly Fault[] = [
  {
    name: 'attachment-list-refused',
    summary: 'GET /attachment without parameters returns 404.',
    breaks: ['V3-ATT-06'],
    patch: rejectRequests(
      fileList,
      (_, { query }) => Object.keys(toObject(query)).length === 0,
      404,
    ),
  },
  {
    name: 'attachment-list-of-chats-alone',
    summary: 'GET /attachment without chat_id and search returns an empty list.',
    breaks: ['V3-ATT-06'],
    patch: editPage((page, { chatId, search }) =>
      chatId === undefined && search === undefined ? emptyPage : page,
    ),
  },
  {
    name: 'attachment-list-without-names',
    summary: 'GET /attachment omits the names and ids of attachments.',
    breaks: ['V3-ATT-06'],
    patch: setField(fileList, 'result.*', ({ size }: { size: number }) => ({ size })),
  },
  {
    name: 'attachment-chat-ignored',
    summary: 'GET /attachment ignores chat_id.',
    breaks: ['V3-ATT-07'],
    patch: listAllChats(fileList, ({ query }) => 'chat_id' in toObject(query)),
  },
  {
    name: 'attachment-chat-empty',
    summary: 'GET /attachment with chat_id returns an empty list.',
    breaks: ['V3-ATT-07'],
    patch: onSuccessBody(fileList, (body, { query }) =>
      'chat_id' in toObject(query) ? { ...body, result: [] } : body,
    ),
  },
  {
    name: 'attachment-chat-any',
    summary: 'The attachments of a chat include those of all chats.',
    breaks: ['V3-ATT-07', 'V3-ATT-12'],
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
  {
    name: 'attachment-search-refused',
    summary: 'GET /attachment with search is rejected.',
    breaks: ['V3-ATT-08'],
    patch: rejectRequests(fileList, (_, { query }) => 'search' in toObject(query)),
  },
  {
    name: 'attachment-search-ignored',
    summary: 'GET /attachment ignores search.',
    breaks: ['V3-ATT-08'],
    patch: ignoreQuery(fileList, 'search'),
  },
  {
    name: 'attachment-search-by-type',
    summary: 'GET /attachment with search finds no file by its name.',
    breaks: ['V3-ATT-08'],
    patch: onRequest(fileList, (call) => {
      const { search, ...query } = toObject(call.query)
      return search === undefined ? call : { ...call, query: { ...query, search: 'text/plain' } }
    }),
  },
  {
    name: 'attachment-limit-refused',
    summary: 'GET /attachment with limit is rejected.',
    breaks: ['V3-ATT-09'],
    patch: rejectRequests(fileList, (_, { query }) => 'limit' in toObject(query)),
  },
  {
    name: 'attachment-limit-ignored',
    summary: 'GET /attachment ignores limit.',
    breaks: ['V3-ATT-09'],
    patch: ignoreQuery(fileList, 'limit'),
  },
  {
    name: 'attachment-limit-one-more',
    summary: 'GET /attachment returns one attachment more than limit.',
    breaks: ['V3-ATT-09'],
    patch: editPageRequest((page) => ({ ...page, limit: page.limit + 1 })),
  },
  {
    name: 'attachment-cursor-missing',
    summary: 'GET /attachment returns a null cursor although further pages exist.',
    breaks: ['V3-ATT-10'],
    patch: editPage((page) => ({ ...page, next: null })),
  },
  {
    name: 'attachment-cursor-ignored',
    summary: 'GET /attachment ignores cursor and always returns the first page.',
    breaks: ['V3-ATT-10'],
    patch: editPageRequest(({ before: _, ...page }) => page),
  },
  {
    name: 'attachment-cursor-refused',
    summary: 'GET /attachment rejects the cursor that it returned.',
    breaks: ['V3-ATT-10'],
    patch: rejectRequests(fileList, (_, { query }) => 'cursor' in toObject(query)),
  },
  {
    name: 'attachment-cursor-skips-one',
    summary: 'GET /attachment omits one attachment between two pages.',
    breaks: ['V3-ATT-10'],
    patch: onStore('attachments', ({ list }) => ({
      list: async (owner, page) => {
        const { rows, next } = await list(owner, { ...page, limit: page.limit + 1 })
        return { rows: rows.slice(0, page.limit), next }
      },
    })),
  },
  listAllOwners(
    'listed',
    'GET /attachment returns the attachments of all callers.',
    ({ search }) => search === undefined,
  ),
  listAllOwners(
    'found',
    'GET /attachment with search returns the attachments of all callers.',
    ({ search }) => search !== undefined,
  ),
  {
    name: 'attachment-chat-list-refused',
    summary: 'GET /chat/{chat_id}/attachments returns 404.',
    breaks: ['V3-ATT-12'],
    patch: failAfterSuccess(chatFiles, 404),
  },
  {
    name: 'attachment-chat-list-empty',
    summary: 'GET /chat/{chat_id}/attachments returns an empty list.',
    breaks: ['V3-ATT-12'],
    patch: setField(chatFiles, 'result', []),
  },
  {
    name: 'attachment-chat-list-of-all',
    summary: 'GET /chat/{chat_id}/attachments returns all attachments of the caller.',
    breaks: ['V3-ATT-12'],
    patch: listAllChats(chatFiles, () => true),
  },
  {
    name: 'attachment-chat-search-refused',
    summary: 'GET /chat/{chat_id}/attachments with search is rejected.',
    breaks: ['V3-ATT-13'],
    patch: rejectRequests(chatFiles, (_, { query }) => 'search' in toObject(query)),
  },
  {
    name: 'attachment-chat-search-ignored',
    summary: 'GET /chat/{chat_id}/attachments ignores search.',
    breaks: ['V3-ATT-13'],
    patch: ignoreQuery(chatFiles, 'search'),
  },
  {
    name: 'attachment-chat-search-nothing',
    summary: 'GET /chat/{chat_id}/attachments with search returns an empty list.',
    breaks: ['V3-ATT-13'],
    patch: onRequest(chatFiles, (call) => {
      const query = toObject(call.query)
      return 'search' in query ? { ...call, query: { ...query, search: 'no such file' } } : call
    }),
  },
]

function editPage(
  change: (page: Page<Attachment>, request: AttachmentPageRequest) => Page<Attachment>,
): Patch {
  return onStore('attachments', ({ list }) => ({
    list: async (owner, page) => change(await list(owner, page), page),
  }))
}

function editPageRequest(change: (page: AttachmentPageRequest) => AttachmentPageRequest): Patch {
  return onStore('attachments', ({ list }) => ({
    list: (owner, page) => list(owner, change(page)),
  }))
}

function listAllOwners(
  name: string,
  summary: string,
  when: (page: AttachmentPageRequest) => boolean,
): Fault {
  return {
    name: `attachment-of-another-${name}`,
    summary,
    breaks: ['V3-ATT-11'],
    patch: onStore('attachments', ({ add, list }) => {
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
    }),
  }
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
