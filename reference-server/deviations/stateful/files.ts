/** Faults of attachments that occur only after certain operations. */
import type { Patch } from '../../services.ts'
import { alsoDo } from '../patches/replies.ts'
import { changeChat, deleteChat, type RoutePattern, v3Generate } from '../patches/routes.ts'
import { compose, onStore, perServer } from '../patches/services.ts'
import { faultTable } from '../table.ts'

export const statefulFileFaults = faultTable({
  'V3-ATT-12': {
    'chat-files-lost-with-a-new-name: Renaming a chat removes its attachments.': {
      also: ['V3-ATT-07'],
      patch: unlinksOn(changeChat),
    },
    'chat-files-lost-with-a-run: A generation removes the attachments of its chat.': {
      also: ['V3-ATT-07'],
      patch: unlinksOn(v3Generate),
    },
    'chat-files-lost-with-another-chat: The deletion of a chat removes the attachments of all chats.':
      { also: ['V3-ATT-07'], patch: unlinksOn(deleteChat, true) },
    'chat-second-file-replaces-the-first: Only the latest attachment of a chat is listed.': {
      also: ['V3-ATT-07'],
      patch: onStore('attachments', (attachments) => ({
        list: async (owner, page) => {
          const { rows, next } = await attachments.list(owner, page)
          if (page.chatId === undefined) return { rows, next }
          return { rows: page.before === undefined ? rows.slice(0, 1) : [], next: null }
        },
      })),
    },
  },
})

/** Unlinks the attachments of a chat, or of all chats, after a request. */
function unlinksOn(route: RoutePattern, everywhere = false): Patch {
  return perServer(() => {
    const links = new Map<string, Set<string>>()
    const lost = new Set<string>()
    return compose([
      onStore('attachments', (attachments) => ({
        link: async (chat, id) => {
          links.set(chat, (links.get(chat) ?? new Set()).add(id))
          lost.delete(`${chat} ${id}`)
          await attachments.link(chat, id)
        },
        list: async (owner, page) => {
          const { rows, next } = await attachments.list(owner, page)
          return { rows: rows.filter(({ id }) => !lost.has(`${page.chatId} ${id}`)), next }
        },
      })),
      alsoDo(route, async (_services, { params, body }, reply) => {
        if (reply.status >= 300) return
        const chat = params['chat_id'] ?? String(Object(body)['chat_id'])
        for (const [owner, ids] of links) {
          if (!everywhere && owner !== chat) continue
          for (const id of ids) lost.add(`${owner} ${id}`)
        }
      }),
    ])
  })
}
