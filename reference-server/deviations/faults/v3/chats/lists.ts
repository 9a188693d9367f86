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
    summary: 'GET /chat returns 404.',
    breaks: ['V3-CHAT-05'],
    patch: rejectRequests(chatList, () => true, 404),
  },
  {
    name: 'chat-list-empty',
    summary: 'GET /chat always returns an empty list.',
    breaks: ['V3-CHAT-05'],
    patch: editPage(() => ({ rows: [], next: null })),
  },
  {
    name: 'chat-list-favorites-alone',
    summary: 'GET /chat returns only favorites.',
    breaks: ['V3-CHAT-05'],
    patch: editPage((page) => ({ ...page, rows: page.rows.filter(({ favorite }) => favorite) })),
  },
  {
    name: 'chat-list-without-ids',
    summary: 'GET /chat returns only the names of the chats.',
    breaks: ['V3-CHAT-05'],
    patch: setField(chatList, 'result.*', ({ name }: { name: string }) => ({ name })),
  },
  {
    name: 'chat-search-refused',
    summary: 'GET /chat with search is rejected.',
    breaks: ['V3-CHAT-06'],
    patch: rejectRequests(chatList, (_, { query }) => 'search' in toObject(query)),
  },
  {
    name: 'chat-search-ignored',
    summary: 'GET /chat ignores search.',
    breaks: ['V3-CHAT-06'],
    patch: ignoreQuery(chatList, 'search'),
  },
  {
    name: 'chat-search-nothing',
    summary: 'GET /chat with search returns an empty list.',
    breaks: ['V3-CHAT-06'],
    patch: editPage((page, { search }) => (search === undefined ? page : { rows: [], next: null })),
  },
  {
    name: 'chat-search-not-the-first-word',
    summary: 'GET /chat with search ignores the first word of each name.',
    breaks: ['V3-CHAT-06'],
    patch: searchBy((name, text) => name.split(' ').slice(1).join(' ').includes(text)),
  },
  {
    name: 'chat-search-whole-names',
    summary: 'GET /chat with search matches whole names only.',
    breaks: ['V3-CHAT-06'],
    patch: searchBy((name, text) => name === text),
  },
  {
    name: 'chat-limit-refused',
    summary: 'GET /chat with limit is rejected.',
    breaks: ['V3-CHAT-07'],
    patch: rejectRequests(chatList, (_, { query }) => 'limit' in toObject(query)),
  },
  {
    name: 'chat-limit-ignored',
    summary: 'GET /chat ignores limit.',
    breaks: ['V3-CHAT-07'],
    patch: ignoreQuery(chatList, 'limit'),
  },
  {
    name: 'chat-limit-one-more',
    summary: 'GET /chat returns one chat more than limit.',
    breaks: ['V3-CHAT-07'],
    patch: editPageRequest((page) => ({ ...page, limit: page.limit + 1 })),
  },
  {
    name: 'chat-limit-above-20-is-50',
    only: { 'page size': ['above 20'] },
    summary: 'GET /chat treats a limit above 20 as 50.',
    breaks: ['V3-CHAT-07'],
    patch: editPageRequest((page) => (page.limit > 20 ? { ...page, limit: 50 } : page)),
  },
  {
    name: 'chat-cursor-missing',
    summary: 'GET /chat returns a null cursor although further pages exist.',
    breaks: ['V3-CHAT-08'],
    patch: editPage((page) => ({ ...page, next: null })),
  },
  {
    name: 'chat-cursor-ignored',
    summary: 'GET /chat ignores cursor and always returns the first page.',
    breaks: ['V3-CHAT-08'],
    patch: editPageRequest(({ before: _, ...page }) => page),
  },
  {
    name: 'chat-cursor-refused',
    summary: 'GET /chat rejects the cursor that it returned.',
    breaks: ['V3-CHAT-08'],
    patch: rejectRequests(chatList, (_, { query }) => 'cursor' in toObject(query)),
  },
  {
    name: 'chat-cursor-skips-one',
    summary: 'GET /chat omits one chat between two pages.',
    breaks: ['V3-CHAT-08'],
    patch: onStore('chats', ({ list }) => ({
      list: async (owner, request) => {
        const { rows, next } = await list(owner, { ...request, limit: request.limit + 1 })
        return { rows: rows.slice(0, request.limit), next }
      },
    })),
  },
  {
    name: 'chat-cursor-skips-one-above-20',
    only: { 'page size': ['above 20'] },
    summary: 'GET /chat with a limit from 21 to 49 omits one chat between two pages.',
    breaks: ['V3-CHAT-08'],
    patch: onStore('chats', ({ list }) => ({
      list: async (owner, request) => {
        if (request.limit <= 20 || request.limit >= 50) return list(owner, request)
        const { rows, next } = await list(owner, { ...request, limit: request.limit + 1 })
        return { rows: rows.slice(0, request.limit), next }
      },
    })),
  },
  misreadExcludeFavorites('nothing', 'no chats', undefined),
  misreadExcludeFavorites('the-others', 'all chats that are not favorites', true),
  {
    name: 'chat-exclude-favorites-not-in-searches',
    summary: 'exclude_favorites is ignored if search is given.',
    breaks: ['V3-CHAT-09'],
    patch: editPageRequest((page) =>
      page.favorite === false && page.search !== undefined
        ? { ...page, favorite: undefined }
        : page,
    ),
  },
  {
    name: 'chat-exclude-favorites-all',
    summary: 'exclude_favorites excludes all chats.',
    breaks: ['V3-CHAT-09'],
    patch: editPage((page, { favorite }) => (favorite === false ? { rows: [], next: null } : page)),
  },
]

/** True for the list of chats, false for the list of favorites. */
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

/** Returns all matches of a search on one page. */
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

function misreadExcludeFavorites(
  name: string,
  excluded: string,
  favorite: boolean | undefined,
): Fault {
  return {
    name: `chat-exclude-favorites-${name}`,
    summary: `exclude_favorites excludes ${excluded}.`,
    breaks: ['V3-CHAT-09'],
    patch: editPageRequest((page) => (page.favorite === false ? { ...page, favorite } : page)),
  }
}
