/** Faults of a service with several replicas, which share one store. */
import { ApiError } from '../../http/errors.ts'
import type { Patch } from '../../services.ts'
import type { Chat, HistoryRow } from '../../store/types.ts'
import { isText, toObject } from '../patches/json.ts'
import { setFields } from '../patches/replies.ts'
import { onRequest } from '../patches/requests.ts'
import {
  compose,
  editChatChanges,
  editChatRows,
  editFileRows,
  editReservations,
  onStore,
  remembering,
  renameKeys,
} from '../patches/services.ts'
import { rowsOf } from '../table.ts'

/** Makes the patches of the replicas of one service, by their number from 0. */
export type PatchReplicas = () => (replica: number) => Patch

/**
 * Violations of a service whose replicas keep some state for themselves; each replica conforms if it is the only
 * one. Of the named requirements, at least one is broken across replicas: the seed decides which requests are
 * affected.
 */
export const replicaFaults = rowsOf<PatchReplicas>({
  'V3-IDEM-02 V3-IDEM-03 replica-ledger: Each replica remembers only the Idempotency-Keys that it received itself.':
    () => (replica) =>
      renameKeys(({ key }) => `${replica} ${key}`),
  'V3-IDEM-04 V3-IDEM-05 replica-ledger-of-running-requests: A replica ignores running requests of other replicas with the same Idempotency-Key.':
    () => () =>
      remembering((own) =>
        editReservations((found, { key }) => {
          if (found.state === 'first') own.add(key)
          return found.state === 'running' && !own.has(key) ? { state: 'first' } : found
        }),
      ),
  'V3-HIST-07 replica-history-cached: A replica caches a history and ignores runs that other replicas add.':
    () => cachedHistory,
  'V3-CHAT-11 replica-deletion-unknown: A replica that has read a chat still returns it after another replica has deleted it.':
    () => () =>
      onStore('chats', (chats) => {
        const cache = new Map<string, Chat>()
        return {
          find: async (owner, id) => {
            const chat = (await chats.find(owner, id)) ?? cache.get(`${owner} ${id}`)
            if (chat !== undefined) cache.set(`${owner} ${id}`, chat)
            return chat
          },
          delete: async (owner, id) => {
            cache.delete(`${owner} ${id}`)
            return chats.delete(owner, id)
          },
        }
      }),
  'V3-FAV-01 replica-favorites: A replica lists only the favorites that were added on it.':
    () => () =>
      remembering((own) => [
        editChatChanges((change, { id }) => {
          if (change.favorite === true) own.add(id)
          return change
        }),
        editChatRows((rows, { favorite }) =>
          favorite === true ? rows.filter(({ id }) => own.has(id)) : rows,
        ),
      ]),
  'V3-HIST-12 replica-cursors: A cursor is accepted only by the replica that returned it.':
    () => (replica) =>
      compose([
        setFields('v3.history', {
          'pagination.cursor': (cursor: unknown) =>
            isText(cursor) ? `${replica}.${cursor}` : cursor,
        }),
        onRequest('v3.history', (call) => {
          const { cursor, ...query } = toObject(call.query)
          if (cursor === undefined) return call
          const [from, ...rest] = String(cursor).split('.')
          if (from !== String(replica)) throw new ApiError(400, 'No such cursor')
          return { ...call, query: { ...query, cursor: rest.join('.') } }
        }),
      ]),
  'V2-MSG-14 V3-ATT-06 V3-ATT-12 V3-ATT-13 replica-attachments-on-disk: An uploaded file is known only to the replica that received it.':
    () => () =>
      remembering((own) => [
        onStore('attachments', ({ add, find }) => ({
          add: (attachment) => add(own.add(attachment.id) && attachment),
          find: async (owner, id) => (own.has(id) ? find(owner, id) : undefined),
        })),
        editFileRows((rows) => rows.filter(({ id }) => own.has(id))),
      ]),
  'V3-CTX-01 replica-parents: A replica ignores the content of parent runs of other replicas.':
    () => () =>
      remembering((own) =>
        onStore('history', (store) => ({
          append: (chat, run) => store.append(chat, own.add(run.id) && run),
          runs: async (chat) =>
            (await store.runs(chat)).map((run) =>
              own.has(run.id) ? run : { ...run, input: [], output: [] },
            ),
        })),
      ),
}).map(({ heading, change: patches }) => ({ ...heading, patches }))

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
