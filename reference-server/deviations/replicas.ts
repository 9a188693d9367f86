/** Faults and legal behavior of a service with several replicas, which share one store. */
import { ApiError } from '../http/errors.ts'
import type { Patch } from '../services.ts'
import type { Chat, HistoryRow, StoredRun } from '../store/types.ts'
import { delayAnswers } from './dialects/wire.ts'
import { isText, toObject } from './patches/json.ts'
import { setFields } from './patches/replies.ts'
import { onRequest } from './patches/requests.ts'
import {
  compose,
  editChatChanges,
  editChatRows,
  editedRows,
  editFileRows,
  editReservations,
  noteChatsBefore,
  onStore,
  remembering,
  renameKeys,
} from './patches/services.ts'
import { headingParts, rowsOf } from './table.ts'

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

const replicationMs = 150

type ReplicaDialect = readonly [visibleMs: number, patches: PatchReplicas]

/** `visibleMs`: milliseconds until a change is visible on all replicas. */
export const replicaDialects = Object.entries<ReplicaDialect>({
  'replicas-alike: Replicas share all state.': [0, () => () => (services) => services],
  [`replication-is-slow: Changes reach the other replicas after ${replicationMs} ms.`]: [
    replicationMs,
    () => {
      const changes = new Map<string, Change>()
      return (replica) => laggingReplica(changes, replica)
    },
  ],
  'replicas-of-different-speed: Each replica answers 40 ms later than the previous one.': [
    0,
    () => (replica) => (replica === 0 ? (services) => services : delayAnswers(40 * replica)),
  ],
}).map(([heading, [visibleMs, patches]]) => ({ ...headingParts(heading), visibleMs, patches }))

/** The latest change of an object; `before` is the chat that other replicas still return. */
interface Change {
  readonly replica: number
  readonly atMs: number
  readonly before: Chat | undefined
}

/** Delays chats, histories, messages and files; Idempotency-Keys are shared immediately. */
function laggingReplica(changes: Map<string, Change>, replica: number): Patch {
  const note = (id: string, before?: Chat) =>
    changes.set(id, { replica, atMs: performance.now(), before })
  /** The change of another replica that is not visible yet. */
  const hidden = (id: string) => {
    const change = changes.get(id)
    if (change === undefined || change.replica === replica) return undefined
    return performance.now() - change.atMs < replicationMs ? change : undefined
  }
  const isVisible = ({ id }: { readonly id: string }) => hidden(id) === undefined
  const visibleChat = (id: string, current: Chat | undefined) => {
    const change = hidden(id)
    return change === undefined ? current : change.before
  }
  return compose([
    noteChatsBefore((before) => note(before.id, before)),
    onStore('chats', ({ create, find }) => ({
      create: (chat) => note(chat.id) && create(chat),
      find: async (owner, id) => {
        const chat = visibleChat(id, await find(owner, id))
        return chat?.owner === owner ? chat : undefined
      },
    })),
    editChatRows((rows, { favorite }) =>
      rows.flatMap((row) => {
        const chat = visibleChat(row.id, row)
        const fits = favorite === undefined || chat?.favorite === favorite
        return chat !== undefined && fits ? [chat] : []
      }),
    ),
    onStore('history', (history) => {
      /** A run that is not replicated yet hides all later runs. */
      const visibleRuns = async (chat: string): Promise<readonly StoredRun[]> => {
        const runs = await history.runs(chat)
        const end = runs.findIndex((run) => !isVisible(run))
        return end < 0 ? runs : runs.slice(0, end)
      }
      return {
        append: (chat, run) => note(run.id) && history.append(chat, run),
        runs: visibleRuns,
        page: async (chat, after, limit) => {
          const runs = await visibleRuns(chat)
          const all = runs.reduce((rows, run) => rows + run.input.length + run.output.length, 0)
          const left = Math.max(0, all - after)
          const { rows } = await history.page(chat, after, Math.min(limit, left))
          const end = after + rows.length
          return { rows, next: end < all ? end : null }
        },
      }
    }),
    onStore('messages', (messages) => ({
      append: (message) => note(message.id) && messages.append(message),
      find: async (chat, id) => (isVisible({ id }) ? messages.find(chat, id) : undefined),
      chain: async (chat, id) => (isVisible({ id }) ? messages.chain(chat, id) : []),
    })),
    onStore('attachments', ({ add, find, list }) => ({
      add: (attachment) => note(attachment.id) && add(attachment),
      find: async (owner, id) => (isVisible({ id }) ? find(owner, id) : undefined),
      list: editedRows(list, (rows) => rows.filter(isVisible)),
    })),
  ])
}
