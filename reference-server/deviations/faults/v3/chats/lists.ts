/** Faults of new v3 chats, their version, and lists of chats (sections 2.5, 3, 4.3 and 9). */
import type { Patch } from '../../../../services.ts'
import type { Chat, ChatPageRequest, ChatVersion } from '../../../../store/types.ts'
import { onReply, onSuccess, onSuccessBody, setFields } from '../../../patches/replies.ts'
import { onRequestBody, rejectRequests } from '../../../patches/requests.ts'
import { chatList, createChat, v3Generate, v3History } from '../../../patches/routes.ts'
import { compose, editChatRows, onStore, perServer } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'

type NamedChat = Chat & { readonly first: string }

export const chatListFaults = faultTable({
  'V3-CHAT-01': {
    'v3-new-chat-without-id: The response to POST /chat omits the id of the chat.': setFields(
      createChat,
      { id: undefined },
    ),
    'v3-new-chat-numbered: The id in the response to POST /chat is a number.': setFields(
      createChat,
      { id: () => 4711 },
    ),
    'v3-new-chat-is-the-first-again: POST /chat always returns the first chat that was created.':
      perServer(() => {
        let first: unknown
        return onSuccessBody(createChat, (body) => {
          first ??= body
          return first
        })
      }),
    'v3-new-chat-wants-a-version: POST /chat without version is rejected.': rejectRequests(
      createChat,
      (body) => body['version'] === undefined,
    ),
    'v3-new-chat-empty-answer: POST /chat creates the chat and returns 204 without a body.':
      onSuccess(createChat, () => ({ status: 204 })),
  },
  'V3-CHAT-03': {
    'v3-new-chat-is-v2: POST /api/v3/chat creates v2 chats.': onCreation((chat) => ({
      ...chat,
      version: 'v2',
    })),
    'v3-new-chat-takes-no-generation: Generation in a v3 chat is rejected with a hint to /api/v2; its history is readable.':
      onReply(v3Generate, (_reply, { caller }) => ({
        status: caller === '' ? 401 : 409,
        body: { error: { message: 'Use /api/v2 for this chat' } },
      })),
    'v3-new-chat-has-no-history: The history of a v3 chat is rejected with a hint to /api/v2; generation works.':
      onReply(v3History, (_reply, { caller }) => ({
        status: caller === '' ? 401 : 409,
        body: { error: { message: 'Use /api/v2 for this chat' } },
      })),
  },
  'VER-01': {
    'v3-new-chat-of-any-version: version in the body of POST /chat sets the version of the chat.':
      perServer(() => {
        const versions = new Map<unknown, ChatVersion>()
        return compose([
          onRequestBody(createChat, (body) => {
            if (body['version'] === 'v2') versions.set(body['name'], 'v2')
            return body
          }),
          onCreation((chat) => ({ ...chat, version: versions.get(chat.name) ?? chat.version })),
        ])
      }),
    'v3-new-chat-repeats-the-version: The response to POST /chat repeats the version that was sent; the chat is v3.':
      onSuccessBody(createChat, (body, { body: sent }) => ({ ...body, ...(sent as object) })),
  },
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
    'chat-search-first-names: GET /chat with search matches the name that a chat was created with.':
      withFirstNames((chats, { search = '' }) =>
        chats.filter(({ first }) => first.toLowerCase().includes(search.toLowerCase())),
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
  'V3-CHAT-10': {
    'chat-list-first-names: GET /chat with search shows the name that a chat was created with.':
      withFirstNames((chats) => chats.map((chat) => ({ ...chat, name: chat.first }))),
  },
})
function onCreation(change: (chat: Chat) => Chat): Patch {
  return (services) => {
    const { chats } = services.store
    const create = (chat: Chat) => chats.create(chat.version === 'v3' ? change(chat) : chat)
    return { ...services, store: { ...services.store, chats: { ...chats, create } } }
  }
}

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
