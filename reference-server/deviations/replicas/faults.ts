/** Faults of a service with several replicas, which share one store. */
import type { RequirementId } from '../../../contract/index.ts'
import { ApiError } from '../../http/errors.ts'
import type { Patch } from '../../services.ts'
import type { Chat, HistoryRow, IdempotencyScope } from '../../store/types.ts'
import { toObject } from '../patches/json.ts'
import { onSuccessBody } from '../patches/replies.ts'
import { onRequest } from '../patches/requests.ts'
import { v3History } from '../patches/routes.ts'
import { compose, onStore } from '../patches/services.ts'

/** Violation of a service with several replicas; each replica conforms if it is the only one. */
interface ReplicaFault {
  readonly name: string
  /** Violation, in a sentence. */
  readonly summary: string
  /** Requirements of which it breaks at least one across replicas; the seed decides which requests are affected. */
  readonly breaks: readonly [RequirementId, ...RequirementId[]]
  readonly patches: PatchReplicas
}

/** Makes the patches of the replicas of one service, by their number from 0. */
export type PatchReplicas = () => (replica: number) => Patch

/** State that is kept per replica instead of per service. */
export const replicaFaults: readonly ReplicaFault[] = [
  {
    name: 'replica-ledger',
    summary: 'Each replica remembers only the Idempotency-Keys that it received itself.',
    breaks: ['V3-IDEM-02', 'V3-IDEM-03'],
    patches: () => (replica) => {
      const own = (scope: IdempotencyScope) => ({ ...scope, key: `${replica} ${scope.key}` })
      return onStore('idempotency', ({ reserve, finish, release }) => ({
        reserve: (scope, fingerprint, now) => reserve(own(scope), fingerprint, now),
        finish: (scope, run) => finish(own(scope), run),
        release: (scope) => release(own(scope)),
      }))
    },
  },
  {
    name: 'replica-ledger-of-running-requests',
    summary: 'A replica ignores running requests of other replicas with the same Idempotency-Key.',
    breaks: ['V3-IDEM-04', 'V3-IDEM-05'],
    patches: () => () => {
      const own = new Set<string>()
      return onStore('idempotency', (keys) => ({
        reserve: async (scope, fingerprint, now) => {
          const found = await keys.reserve(scope, fingerprint, now)
          if (found.state === 'first') own.add(scope.key)
          return found.state === 'running' && !own.has(scope.key) ? { state: 'first' } : found
        },
      }))
    },
  },
  {
    name: 'replica-history-cached',
    summary: 'A replica caches a history and ignores runs that other replicas add.',
    breaks: ['V3-HIST-07'],
    patches: () => cachedHistory,
  },
  {
    name: 'replica-deletion-unknown',
    summary:
      'A replica that has read a chat still returns it after another replica has deleted it.',
    breaks: ['V3-CHAT-11'],
    patches: () => () => {
      const cache = new Map<string, Chat>()
      return onStore('chats', (chats) => ({
        find: async (owner, id) => {
          const chat = (await chats.find(owner, id)) ?? cache.get(`${owner} ${id}`)
          if (chat !== undefined) cache.set(`${owner} ${id}`, chat)
          return chat
        },
        delete: async (owner, id) => {
          cache.delete(`${owner} ${id}`)
          return chats.delete(owner, id)
        },
      }))
    },
  },
  {
    name: 'replica-favorites',
    summary: 'A replica lists only the favorites that were added on it.',
    breaks: ['V3-FAV-01'],
    patches: () => () => {
      const own = new Set<string>()
      return onStore('chats', (chats) => ({
        update: async (owner, id, change) => {
          if (change.favorite === true) own.add(id)
          return chats.update(owner, id, change)
        },
        list: async (owner, query) => {
          const page = await chats.list(owner, query)
          if (query.favorite !== true) return page
          return { ...page, rows: page.rows.filter(({ id }) => own.has(id)) }
        },
      }))
    },
  },
  {
    name: 'replica-cursors',
    summary: 'A cursor is accepted only by the replica that returned it.',
    breaks: ['V3-HIST-12'],
    patches: () => (replica) =>
      compose([
        onSuccessBody(v3History, (body) => {
          const pagination = toObject(body['pagination'])
          const cursor = pagination['cursor']
          if (typeof cursor !== 'string') return body
          return { ...body, pagination: { ...pagination, cursor: `${replica}.${cursor}` } }
        }),
        onRequest(v3History, (call) => {
          const { cursor, ...query } = toObject(call.query)
          if (cursor === undefined) return call
          const [from, ...rest] = String(cursor).split('.')
          if (from !== String(replica)) throw new ApiError(400, 'No such cursor')
          return { ...call, query: { ...query, cursor: rest.join('.') } }
        }),
      ]),
  },
  {
    name: 'replica-attachments-on-disk',
    summary: 'An uploaded file is known only to the replica that received it.',
    breaks: ['V2-MSG-14', 'V3-ATT-06', 'V3-ATT-12', 'V3-ATT-13'],
    patches: () => () => {
      const own = new Set<string>()
      return onStore('attachments', ({ add, find, list }) => ({
        add: async (attachment) => {
          own.add(attachment.id)
          await add(attachment)
        },
        find: async (owner, id) => (own.has(id) ? find(owner, id) : undefined),
        list: async (owner, query) => {
          const page = await list(owner, query)
          return { ...page, rows: page.rows.filter(({ id }) => own.has(id)) }
        },
      }))
    },
  },
  {
    name: 'replica-parents',
    summary: 'A replica ignores the content of parent runs of other replicas.',
    breaks: ['V3-CTX-01'],
    patches: () => () => {
      const own = new Set<string>()
      return onStore('history', (store) => ({
        append: async (chat, run) => {
          own.add(run.id)
          await store.append(chat, run)
        },
        runs: async (chat) =>
          (await store.runs(chat)).map((run) =>
            own.has(run.id) ? run : { ...run, input: [], output: [] },
          ),
      }))
    },
  },
]

/** Caches each history until the replica itself adds to it. */
function cachedHistory(): Patch {
  const cache = new Map<string, readonly HistoryRow[]>()
  return onStore('history', (store) => ({
    append: async (chat, run) => {
      cache.delete(chat)
      await store.append(chat, run)
    },
    page: async (chat, after, limit) => {
      const all = cache.get(chat) ?? (await store.page(chat, 0, 1_000_000)).rows
      if (all.length > 0) cache.set(chat, all)
      const rows = all.slice(after, after + limit)
      const end = after + rows.length
      return { rows, next: end < all.length ? end : null }
    },
  }))
}
