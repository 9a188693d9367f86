/** Faults of the names of chats in updates, lists and searches (sections 2.5 and 4.3). */
import type { Patch } from '../../../../services.ts'
import type { Chat, ChatPageRequest } from '../../../../store/types.ts'
import { isText, setAt } from '../../../patches/json.ts'
import { onRequestBody } from '../../../patches/requests.ts'
import { changeChat } from '../../../patches/routes.ts'
import { onStore } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'

export const chatNameFaults = faultTable({
  'V3-CHAT-10': {
    'chat-update-ascii: Non-ASCII characters of a new name are replaced by question marks.':
      onRequestBody(changeChat, (body) =>
        setAt(body, 'name', (name: unknown) =>
          isText(name) ? name.replaceAll(/[^\0-\x7f]/g, '?') : name,
        ),
      ),
    'chat-list-first-names: GET /chat with search shows the name that a chat was created with.':
      withFirstNames((chats) => chats.map((chat) => ({ ...chat, name: chat.first }))),
  },
  'V3-CHAT-06': {
    'chat-search-ascii: GET /chat with non-ASCII characters in search returns an empty list.':
      onStore('chats', ({ list }) => ({
        list: async (owner, page) =>
          /[^\0-\x7f]/.test(page.search ?? '') ? { rows: [], next: null } : list(owner, page),
      })),
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
