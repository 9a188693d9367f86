/** Faults of lists and names of chats (sections 2.5 and 4.3). */
import type { Patch } from '../../../../services.ts'
import type { Chat, ChatPageRequest } from '../../../../store/types.ts'
import { editChatRows } from '../../../patches/chats.ts'
import { setFields } from '../../../patches/replies.ts'
import { chatList } from '../../../patches/routes.ts'
import { onStore } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'

export const chatListFaults = faultTable({
  'V3-CHAT-05': {
    'chat-list-favorites-alone: GET /chat returns only favorites.': editRows((rows) =>
      rows.filter(({ favorite }) => favorite),
    ),
    'chat-list-without-ids: GET /chat returns only the names of the chats.': setFields(chatList, {
      'result.*': ({ name }: { name: string }) => ({ name }),
    }),
  },
  'V3-CHAT-06': {
    'chat-search-not-the-first-word: GET /chat with search ignores the first word of each name.':
      searchBy((name, text) => name.split(' ').slice(1).join(' ').includes(text)),
    'chat-search-whole-names: GET /chat with search matches whole names only.': searchBy(
      (name, text) => name === text,
    ),
  },
  'V3-CHAT-07': {
    'chat-limit-one-more: GET /chat returns one chat more than limit.':
      'v3.chats: a page has one row more than limit',
    'chat-limit-above-20-is-50: GET /chat treats a limit above 20 as 50.':
      'v3.chats: a limit is taken for 50',
  },
  'V3-CHAT-08': {
    'chat-cursor-skips-one: GET /chat omits one chat between two pages.':
      'v3.chats: the first row is lost (cursor: given)',
    'chat-cursor-skips-one-above-20: GET /chat with a limit from 21 to 49 omits one chat between two pages.':
      'v3.chats: the first row is lost (cursor: given; limit: above 20)',
  },
  'V3-CHAT-09': {
    'chat-exclude-favorites-all: exclude_favorites excludes all chats.':
      'v3.chats: the list is empty (exclude_favorites: given)',
    'chat-exclude-favorites-the-others: exclude_favorites excludes all chats that are not favorites.':
      misreadExcludeFavorites(true),
  },
})

/** True for the list of chats, false for the list of favorites. */
function isList({ version, favorite }: ChatPageRequest): boolean {
  return version === 'v3' && favorite !== true
}

function editRows(change: (rows: readonly Chat[]) => readonly Chat[]): Patch {
  return editChatRows((rows, request) => (isList(request) ? change(rows) : rows))
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

function misreadExcludeFavorites(favorite: boolean | undefined): Patch {
  return editPageRequest((page) => (page.favorite === false ? { ...page, favorite } : page))
}

export const chatNameFaults = faultTable({
  'V3-CHAT-10': {
    'chat-list-first-names: GET /chat with search shows the name that a chat was created with.':
      withFirstNames((chats) => chats.map((chat) => ({ ...chat, name: chat.first }))),
  },
  'V3-CHAT-06': {
    'chat-search-first-names: GET /chat with search matches the name that a chat was created with.':
      withFirstNames((chats, { search = '' }) =>
        chats.filter(({ first }) => first.toLowerCase().includes(search.toLowerCase())),
      ),
  },
})

type NamedChat = Chat & { readonly first: string }

/** Maps the chats that a search finds, and knows their first names. */
function withFirstNames(
  change: (chats: readonly NamedChat[], page: ChatPageRequest) => readonly Chat[],
): Patch {
  return onStore('chats', ({ create, list }) => {
    const firstNames = new Map<string, string>()
    return {
      create: (chat) => {
        firstNames.set(chat.id, chat.name)
        return create(chat)
      },
      list: async (owner, page) => {
        const { rows, next } = await list(owner, page)
        if (page.search === undefined) return { rows, next }
        const chats = rows.map((chat) => ({ ...chat, first: firstNames.get(chat.id) ?? chat.name }))
        return { rows: change(chats, page), next }
      },
    }
  })
}
