/** Legal services with several replicas. */
import type { Patch } from '../../services.ts'
import type { Chat, StoredRun } from '../../store/types.ts'
import { delayAnswers } from '../dialects/wire.ts'
import { compose, editedRows, onStore } from '../patches/services.ts'
import { headingParts } from '../table.ts'
import type { PatchReplicas } from './faults.ts'

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
    onStore('chats', (chats) => {
      const noteBefore = async (owner: string, id: string) => {
        const before = await chats.find(owner, id)
        if (before !== undefined) note(id, before)
      }
      return {
        create: (chat) => note(chat.id) && chats.create(chat),
        find: async (owner, id) => {
          const chat = visibleChat(id, await chats.find(owner, id))
          return chat?.owner === owner ? chat : undefined
        },
        update: async (owner, id, change) => {
          await noteBefore(owner, id)
          return chats.update(owner, id, change)
        },
        delete: async (owner, id) => {
          await noteBefore(owner, id)
          return chats.delete(owner, id)
        },
        list: editedRows(chats.list, (rows, _owner, { favorite }) =>
          rows.flatMap((row) => {
            const chat = visibleChat(row.id, row)
            const fits = favorite === undefined || chat?.favorite === favorite
            return chat !== undefined && fits ? [chat] : []
          }),
        ),
      }
    }),
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
