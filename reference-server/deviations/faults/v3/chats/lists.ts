/** Faults of the list of chats (section 4.3): search, limit, cursor, exclude_favorites. */
import type { Patch } from '../../../../services.ts'
import type { Chat, ChatPageRequest, Page } from '../../../../store/types.ts'
import { toObject } from '../../../patches/json.ts'
import { setField } from '../../../patches/replies.ts'
import { ignoreQuery, rejectRequests } from '../../../patches/requests.ts'
import { chatList } from '../../../patches/routes.ts'
import { onStore } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'

export const chatListFaults: readonly Fault[] = [
  {
    name: 'chat-list-refused',
    summary: 'The list of chats is answered with 404.',
    breaks: ['V3-CHAT-05'],
    patch: rejectRequests(chatList, () => true, 404),
  },
  {
    name: 'chat-list-empty',
    summary: 'The list of chats is always empty.',
    breaks: ['V3-CHAT-05'],
    patch: editPage(() => ({ rows: [], next: null })),
  },
  {
    name: 'chat-list-favorites-alone',
    summary: 'The list of chats shows favorites alone.',
    breaks: ['V3-CHAT-05'],
    patch: editPage((page) => ({ ...page, rows: page.rows.filter(({ favorite }) => favorite) })),
  },
  {
    name: 'chat-list-without-ids',
    summary: 'The list of chats shows names alone.',
    breaks: ['V3-CHAT-05'],
    patch: setField(chatList, 'result.*', ({ name }: { name: string }) => ({ name })),
  },
  {
    name: 'chat-search-refused',
    summary: 'A list with search is refused.',
    breaks: ['V3-CHAT-06'],
    patch: rejectRequests(chatList, (_, { query }) => 'search' in toObject(query)),
  },
  {
    name: 'chat-search-ignored',
    summary: 'A list with search shows all chats.',
    breaks: ['V3-CHAT-06'],
    patch: ignoreQuery(chatList, 'search'),
  },
  {
    name: 'chat-search-nothing',
    summary: 'A search finds nothing.',
    breaks: ['V3-CHAT-06'],
    patch: editPage((page, { search }) => (search === undefined ? page : { rows: [], next: null })),
  },
  {
    name: 'chat-search-not-the-first-word',
    summary: 'A search looks at a name from its second word on.',
    breaks: ['V3-CHAT-06'],
    patch: searchBy((name, text) => name.split(' ').slice(1).join(' ').includes(text)),
  },
  {
    name: 'chat-search-whole-names',
    summary: 'A search finds chats that have exactly that name.',
    breaks: ['V3-CHAT-06'],
    patch: searchBy((name, text) => name === text),
  },
  {
    name: 'chat-limit-refused',
    summary: 'A list with limit is refused.',
    breaks: ['V3-CHAT-07'],
    patch: rejectRequests(chatList, (_, { query }) => 'limit' in toObject(query)),
  },
  {
    name: 'chat-limit-ignored',
    summary: 'A list with limit is as long as one without.',
    breaks: ['V3-CHAT-07'],
    patch: ignoreQuery(chatList, 'limit'),
  },
  {
    name: 'chat-limit-one-more',
    summary: 'A page shows one chat more than limit.',
    breaks: ['V3-CHAT-07'],
    patch: editPageRequest((page) => ({ ...page, limit: page.limit + 1 })),
  },
  {
    name: 'chat-cursor-missing',
    summary: 'The first page of a list says that it is the last.',
    breaks: ['V3-CHAT-08'],
    patch: editPage((page) => ({ ...page, next: null })),
  },
  {
    name: 'chat-cursor-ignored',
    summary: 'Every page of a list is the first.',
    breaks: ['V3-CHAT-08'],
    patch: editPageRequest(({ before: _, ...page }) => page),
  },
  {
    name: 'chat-cursor-refused',
    summary: 'The cursor of a list is refused when it comes back.',
    breaks: ['V3-CHAT-08'],
    patch: rejectRequests(chatList, (_, { query }) => 'cursor' in toObject(query)),
  },
  {
    name: 'chat-cursor-skips-one',
    summary: 'The chat between two pages is on neither.',
    breaks: ['V3-CHAT-08'],
    patch: onStore('chats', ({ list }) => ({
      list: async (owner, request) => {
        const { rows, next } = await list(owner, { ...request, limit: request.limit + 1 })
        return { rows: rows.slice(0, request.limit), next }
      },
    })),
  },
  misreadExcludeFavorites('nothing', 'nobody', undefined),
  misreadExcludeFavorites('the-others', 'the others', true),
  {
    name: 'chat-exclude-favorites-all',
    summary: 'exclude_favorites leaves all chats out.',
    breaks: ['V3-CHAT-09'],
    patch: editPage((page, { favorite }) => (favorite === false ? { rows: [], next: null } : page)),
  },
]

/** The list of chats, not that of favorites. */
function isList({ version, favorite }: ChatPageRequest): boolean {
  return version === 'v3' && favorite !== true
}

function editPage(change: (page: Page<Chat>, request: ChatPageRequest) => Page<Chat>): Patch {
  return onStore('chats', ({ list }) => ({
    list: async (owner, request) => {
      const page = await list(owner, request)
      return isList(request) ? change(page, request) : page
    },
  }))
}

function editPageRequest(change: (request: ChatPageRequest) => ChatPageRequest): Patch {
  return onStore('chats', ({ list }) => ({
    list: (owner, page) => list(owner, isList(page) ? change(page) : page),
  }))
}

/** Searches find what fits, on one page. */
function searchBy(fits: (name: string, text: string) => boolean): Patch {
  return onStore('chats', ({ list }) => ({
    list: async (owner, { search, ...request }) => {
      if (search === undefined) return list(owner, request)
      const { rows } = await list(owner, { ...request, limit: 1000 })
      return {
        rows: rows.filter(({ name }) => fits(name, search)).slice(0, request.limit),
        next: null,
      }
    },
  }))
}

function misreadExcludeFavorites(name: string, whom: string, favorite: boolean | undefined): Fault {
  return {
    name: `chat-exclude-favorites-${name}`,
    summary: `exclude_favorites leaves ${whom} out.`,
    breaks: ['V3-CHAT-09'],
    patch: editPageRequest((page) => (page.favorite === false ? { ...page, favorite } : page)),
  }
}
