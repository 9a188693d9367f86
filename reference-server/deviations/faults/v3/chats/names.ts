/** Faults of the names of chats in updates, lists and searches (sections 2.5 and 4.3). */
import type { Patch } from '../../../../services.ts'
import type { Chat, ChatPageRequest } from '../../../../store/types.ts'
import { isText, setAt } from '../../../patches/json.ts'
import { onRequestBody } from '../../../patches/requests.ts'
import { changeChat } from '../../../patches/routes.ts'
import { onStore } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'

export const chatNameFaults: readonly Fault[] = [
  {
    name: 'chat-update-ascii',
    summary: 'Non-ASCII characters of a new name are replaced by question marks.',
    breaks: ['V3-CHAT-10'],
    patch: onRequestBody(changeChat, (body) =>
      setAt(body, 'name', (name: unknown) =>
        isText(name) ? name.replaceAll(/[^\0-\x7f]/g, '?') : name,
      ),
    ),
  },
  {
    name: 'chat-search-ascii',
    summary: 'GET /chat with non-ASCII characters in search returns an empty list.',
    breaks: ['V3-CHAT-06'],
    patch: onStore('chats', ({ list }) => ({
      list: async (owner, page) =>
        /[^\0-\x7f]/.test(page.search ?? '') ? { rows: [], next: null } : list(owner, page),
    })),
  },
  {
    name: 'chat-search-first-names',
    summary: 'GET /chat with search matches the name that a chat was created with.',
    breaks: ['V3-CHAT-06'],
    patch: withFirstNames((chats, { search = '' }) =>
      chats.filter(({ first }) => first.toLowerCase().includes(search.toLowerCase())),
    ),
  },
  {
    name: 'chat-list-first-names',
    summary: 'GET /chat with search shows the name that a chat was created with.',
    breaks: ['V3-CHAT-10'],
    patch: withFirstNames((chats) => chats.map((chat) => ({ ...chat, name: chat.first }))),
  },
]

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
