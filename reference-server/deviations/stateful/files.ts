/** Faults of attachments and Idempotency-Keys that occur only after certain operations. */
import type { Patch } from '../../services.ts'
import type { IdempotencyScope, Reservation } from '../../store/types.ts'
import { alsoDo, onReply } from '../patches/replies.ts'
import { onRequest } from '../patches/requests.ts'
import {
  addFavorite,
  changeChat,
  deleteChat,
  type RoutePattern,
  v3Generate,
} from '../patches/routes.ts'
import { compose, onStore, perServer } from '../patches/services.ts'
import { faultTable } from '../table.ts'
import { counting } from './memory.ts'

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

const first: Reservation = { state: 'first' }

export const statefulKeyFaults = faultTable({
  'V3-IDEM-02': {
    'key-of-two-turns-ago-forgotten: Only the two latest Idempotency-Keys are remembered.': {
      also: ['V3-IDEM-03'],
      patch: perServer(() => {
        const latest: string[] = []
        return onStore('idempotency', (keys) => ({
          reserve: async (scope, fingerprint, now) => {
            if (!latest.includes(scope.key)) {
              await keys.release(scope)
              latest.push(scope.key)
            }
            if (latest.length > 2) latest.shift()
            return keys.reserve(scope, fingerprint, now)
          },
        }))
      }),
    },
    'key-second-repeat-is-a-turn: The second repeat of a completed request creates a second step.':
      {
        also: ['V3-IDEM-03'],
        patch: counting((count) =>
          onStore('idempotency', (keys) => ({
            reserve: async (scope, fingerprint, now) => {
              const reservation = await keys.reserve(scope, fingerprint, now)
              const isRepeat = reservation.state === 'finished'
              return isRepeat && count(scope.key) === 2 ? first : reservation
            },
          })),
        ),
      },
    'key-forgotten-with-a-new-name: A PATCH of a chat makes the server forget its Idempotency-Keys.':
      { also: ['V3-IDEM-03'], patch: forgetsKeysOn(changeChat) },
    'key-forgotten-by-a-favorite: Adding a chat to favorites makes the server forget its Idempotency-Keys.':
      { also: ['V3-IDEM-03'], patch: forgetsKeysOn(addFavorite) },
    'key-forgotten-after-a-refusal: A rejected generation makes the server forget the Idempotency-Keys of its chat.':
      { also: ['V3-IDEM-03'], patch: forgetsKeysOn(v3Generate, (status) => status >= 400) },
  },
})

/** Forgets the keys that were used in a chat when a request for the chat is answered. */
function forgetsKeysOn(
  route: RoutePattern,
  when: (status: number) => boolean = (status) => status < 300,
): Patch {
  return perServer(() => {
    const keys = new Map<string, string[]>()
    const forgotten = new Set<string>()
    return compose([
      onRequest(v3Generate, (call) => {
        const chat = String(Object(call.body)['chat_id'])
        const key = call.headers['idempotency-key']
        if (key !== undefined) keys.set(chat, [...(keys.get(chat) ?? []), String(key)])
        return call
      }),
      onReply(route, (reply, { params, body }) => {
        const chat = params['chat_id'] ?? String(Object(body)['chat_id'])
        const earlier = when(reply.status) ? (keys.get(chat) ?? []) : []
        for (const key of earlier) forgotten.add(key)
        return reply
      }),
      onStore('idempotency', (original) => ({
        reserve: async (scope: IdempotencyScope, fingerprint, now) => {
          if (forgotten.delete(scope.key)) await original.release(scope)
          return original.reserve(scope, fingerprint, now)
        },
      })),
    ])
  })
}
