/** Faults of the lists of attachments (section 4.3): the caller's, and those of a chat. */
import type { Call } from '../../../http/call.ts'
import type { Patch } from '../../../parts.ts'
import type { Attachment, AttachmentPageRequest, Page } from '../../../store/types.ts'
import { chatFiles, failAfterSuccess, fileList, onStore, ignoreQuery } from '../../native.ts'
import { toObject, onSuccessBody, onRequest, type RoutePattern, rejectRequests, setField } from '../../seams.ts'
import { compose } from '../../together.ts'
import type { Fault } from '../../types.ts'
import { fault } from '../fault.ts'

const nothing = { rows: [], next: null }

export const attachmentListFaults: readonly Fault[] = [
  fault(
    'attachment-list-refused',
    'V3-ATT-06',
    'The list of attachments is answered with 404.',
    rejectRequests(fileList, (_, { query }) => Object.keys(toObject(query)).length === 0, 404),
  ),
  fault(
    'attachment-list-of-chats-alone',
    'V3-ATT-06',
    'Without chat_id and search, the list of attachments is empty.',
    listed((page, { chatId, search }) =>
      chatId === undefined && search === undefined ? nothing : page,
    ),
  ),
  fault(
    'attachment-list-without-names',
    'V3-ATT-06',
    'The list of attachments shows neither names nor ids.',
    setField(fileList, 'result.*', ({ size }: { size: number }) => ({ size })),
  ),
  fault(
    'attachment-chat-ignored',
    'V3-ATT-07',
    'GET /attachment with chat_id lists all attachments.',
    ofAllChats(fileList, ({ query }) => 'chat_id' in toObject(query)),
  ),
  fault(
    'attachment-chat-empty',
    'V3-ATT-07',
    'GET /attachment with chat_id lists nothing.',
    onSuccessBody(fileList, (body, { query }) =>
      'chat_id' in toObject(query) ? { ...body, result: [] } : body,
    ),
  ),
  fault(
    'attachment-chat-any',
    ['V3-ATT-07', 'V3-ATT-12'],
    'A chat has the attachments of all chats.',
    onStore('attachments', ({ list, link }) => {
      const linked = new Set<string>()
      return {
        link: (chat, id) => link(chat, linked.add(id) && id),
        list: async (owner, { chatId, ...page }) => {
          const { rows, next } = await list(owner, page)
          return { rows: rows.filter(({ id }) => chatId === undefined || linked.has(id)), next }
        },
      }
    }),
  ),
  fault(
    'attachment-search-refused',
    'V3-ATT-08',
    'GET /attachment with search is refused.',
    rejectRequests(fileList, (_, { query }) => 'search' in toObject(query)),
  ),
  fault(
    'attachment-search-ignored',
    'V3-ATT-08',
    'GET /attachment with search lists all attachments.',
    ignoreQuery(fileList, 'search'),
  ),
  fault(
    'attachment-search-by-type',
    'V3-ATT-08',
    'GET /attachment with search looks at types in place of names.',
    onRequest(fileList, (call) => {
      const { search, ...query } = toObject(call.query)
      return search === undefined ? call : { ...call, query: { ...query, search: 'text/plain' } }
    }),
  ),
  fault(
    'attachment-limit-refused',
    'V3-ATT-09',
    'GET /attachment with limit is refused.',
    rejectRequests(fileList, (_, { query }) => 'limit' in toObject(query)),
  ),
  fault(
    'attachment-limit-ignored',
    'V3-ATT-09',
    'GET /attachment with limit is as long as without.',
    ignoreQuery(fileList, 'limit'),
  ),
  fault(
    'attachment-limit-one-more',
    'V3-ATT-09',
    'A page shows one attachment more than limit.',
    asked((page) => ({ ...page, limit: page.limit + 1 })),
  ),
  fault(
    'attachment-cursor-missing',
    'V3-ATT-10',
    'The first page of attachments says that it is the last.',
    listed((page) => ({ ...page, next: null })),
  ),
  fault(
    'attachment-cursor-ignored',
    'V3-ATT-10',
    'Every page of attachments is the first.',
    asked(({ before: _, ...page }) => page),
  ),
  fault(
    'attachment-cursor-refused',
    'V3-ATT-10',
    'The cursor of the attachments is refused when it comes back.',
    rejectRequests(fileList, (_, { query }) => 'cursor' in toObject(query)),
  ),
  fault(
    'attachment-cursor-skips-one',
    'V3-ATT-10',
    'The attachment between two pages is on neither.',
    onStore('attachments', ({ list }) => ({
      list: async (owner, page) => {
        const { rows, next } = await list(owner, { ...page, limit: page.limit + 1 })
        return { rows: rows.slice(0, page.limit), next }
      },
    })),
  ),
  ofEverybody(
    'listed',
    'The list of attachments shows those of all callers.',
    ({ search }) => search === undefined,
  ),
  ofEverybody(
    'found',
    'A search for attachments finds those of all callers.',
    ({ search }) => search !== undefined,
  ),
  fault(
    'attachment-chat-list-refused',
    'V3-ATT-12',
    'The attachments of a chat are answered with 404.',
    failAfterSuccess(chatFiles, 404),
  ),
  fault(
    'attachment-chat-list-empty',
    'V3-ATT-12',
    'A chat shows none of its attachments.',
    setField(chatFiles, 'result', []),
  ),
  fault(
    'attachment-chat-list-of-all',
    'V3-ATT-12',
    'A chat shows all attachments of the caller.',
    ofAllChats(chatFiles, () => true),
  ),
  fault(
    'attachment-chat-search-refused',
    'V3-ATT-13',
    'The attachments of a chat cannot be searched.',
    rejectRequests(chatFiles, (_, { query }) => 'search' in toObject(query)),
  ),
  fault(
    'attachment-chat-search-ignored',
    'V3-ATT-13',
    'A search in a chat shows all of its attachments.',
    ignoreQuery(chatFiles, 'search'),
  ),
  fault(
    'attachment-chat-search-nothing',
    'V3-ATT-13',
    'A search in a chat finds nothing.',
    onRequest(chatFiles, (call) => {
      const query = toObject(call.query)
      return 'search' in query ? { ...call, query: { ...query, search: 'no such file' } } : call
    }),
  ),
]

function listed(
  change: (page: Page<Attachment>, asked: AttachmentPageRequest) => Page<Attachment>,
): Patch {
  return onStore('attachments', ({ list }) => ({
    list: async (owner, page) => change(await list(owner, page), page),
  }))
}

function asked(change: (page: AttachmentPageRequest) => AttachmentPageRequest): Patch {
  return onStore('attachments', ({ list }) => ({
    list: (owner, page) => list(owner, change(page)),
  }))
}

function ofEverybody(
  name: string,
  summary: string,
  when: (page: AttachmentPageRequest) => boolean,
): Fault {
  return fault(
    `attachment-of-another-${name}`,
    'V3-ATT-11',
    summary,
    onStore('attachments', ({ add, list }) => {
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
  )
}

/** Marks a search as one that no chat limits; no file name begins like this. */
const everywhere = '\u0000'

/** The chat is looked at, and its files are not told from others. */
function ofAllChats(place: RoutePattern, when: (call: Call) => boolean): Patch {
  return compose([
    onRequest(place, (call) => {
      const query = toObject(call.query)
      const search = `${everywhere}${query['search'] ?? ''}`
      return when(call) ? { ...call, query: { ...query, search } } : call
    }),
    asked((page) =>
      page.search?.startsWith(everywhere)
        ? { ...page, chatId: undefined, search: page.search.slice(everywhere.length) }
        : page,
    ),
  ])
}
