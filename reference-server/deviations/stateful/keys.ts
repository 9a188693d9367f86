/** Faults of Idempotency-Keys that depend on other operations. */
import type { Patch } from '../../services.ts'
import type { IdempotencyScope, Reservation } from '../../store/types.ts'
import { onReply } from '../patches/replies.ts'
import { onRequest } from '../patches/requests.ts'
import { addFavorite, changeChat, type RoutePattern, v3Generate } from '../patches/routes.ts'
import { compose, onStore, perServer } from '../patches/services.ts'
import { faultTable } from '../table.ts'
import { counting } from './memory.ts'

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
