/** Faults of deletions that depend on the state of the chat, or change that of others. */
import type { Chat } from '../../store/types.ts'
import { alsoDo } from '../patches/replies.ts'
import { addFavorite, changeChat, deleteChat, type RoutePattern } from '../patches/routes.ts'
import { compose, onStore, perServer } from '../patches/services.ts'
import { faultTable } from '../table.ts'
import { favoritesOf } from './chats.ts'
import { remembering } from './memory.ts'

export const statefulDeletionFaults = faultTable({
  'V3-CHAT-13': {
    'chat-deletion-clears-favorites: The deletion of a chat clears all favorites.': {
      also: ['V3-FAV-01'],
      patch: alsoDo(deleteChat, async ({ store: { chats } }, { caller }, reply) => {
        if (reply.status >= 300) return
        for (const { id } of await favoritesOf(chats, caller)) {
          await chats.update(caller, id, { favorite: false })
        }
      }),
    },
  },
  'V3-CHAT-11': {
    'chat-favorite-deleted-is-readable: A deleted favorite is no longer listed but still readable.':
      remembering((hidden) =>
        onStore('chats', (chats) => ({
          delete: async (owner, id) => {
            const chat = await chats.find(owner, id)
            if (!chat?.favorite) return chats.delete(owner, id)
            hidden.add(id)
            await chats.update(owner, id, { favorite: false })
            return true
          },
          list: async (...given) => {
            const { rows, next } = await chats.list(...given)
            return { rows: rows.filter(({ id }) => !hidden.has(id)), next }
          },
        })),
      ),
    'chat-of-two-runs-deleted-stays-listed: A deleted chat with two or more runs is still listed.':
      (services) =>
        perServer(() => {
          const ghosts: Chat[] = []
          return onStore('chats', (chats) => ({
            delete: async (owner, id) => {
              const chat = await chats.find(owner, id)
              const runs = await services.store.history.runs(id)
              if (chat && runs.length > 1) ghosts.push({ ...chat, favorite: false })
              return chats.delete(owner, id)
            },
            list: async (owner, page) => {
              const { rows, next } = await chats.list(owner, page)
              const isPlain = page.favorite === undefined && page.before === undefined
              const room = page.limit - rows.length
              const latest = isPlain && room > 0 ? ghosts.slice(-room) : []
              return { rows: [...rows, ...latest], next }
            },
          }))
        })(services),
    'chat-deleted-returns-with-a-name: Renaming a deleted chat restores it.': returnsOn(changeChat),
    'chat-deleted-returns-as-a-favorite: Adding a deleted chat to favorites restores it.':
      returnsOn(addFavorite),
  },
  'V3-CHAT-08': {
    'chat-pages-skip-after-a-deletion: After a deletion, the second and later pages of a list omit their first chat.':
      perServer(() => {
        let isGapped = false
        return onStore('chats', (chats) => ({
          delete: async (owner, id) => {
            isGapped = true
            return chats.delete(owner, id)
          },
          list: async (owner, page) => {
            const { rows, next } = await chats.list(owner, page)
            const isLater = isGapped && page.before !== undefined && rows.length > 1
            return { rows: isLater ? rows.slice(1) : rows, next }
          },
        }))
      }),
  },
})

/** Restores a deleted chat when it is requested again. */
function returnsOn(route: RoutePattern) {
  return perServer(() => {
    const kept = new Map<string, Chat>()
    return compose([
      onStore('chats', (chats) => ({
        delete: async (owner, id) => {
          const chat = await chats.find(owner, id)
          if (chat) kept.set(id, chat)
          return chats.delete(owner, id)
        },
      })),
      alsoDo(route, async ({ store }, { params }) => {
        const chat = kept.get(params['chat_id'] ?? '')
        if (chat === undefined) return
        kept.delete(chat.id)
        await store.chats.create(chat)
      }),
    ])
  })
}
