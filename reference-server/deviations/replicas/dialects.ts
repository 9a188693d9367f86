/** Legal services with several replicas. */
import type { Patch } from '../../services.ts'
import type { Store } from '../../store/sql/store.ts'
import type { Chat, StoredRun } from '../../store/types.ts'
import { delayAnswers } from '../dialects/wire.ts'
import { compose, editedRows, onStore } from '../patches/services.ts'
import type { PatchReplicas } from './faults.ts'

const replicationMs = 150

/** @param visibleMs milliseconds until a change is visible on all replicas */
function dialect(name: string, summary: string, visibleMs: number, patches: PatchReplicas) {
  return { name, summary, visibleMs, patches }
}

export const replicaDialects = [
  dialect('replicas-alike', 'Replicas share all state.', 0, () => () => (services) => services),
  dialect(
    'replication-is-slow',
    `Changes reach the other replicas after ${replicationMs} ms.`,
    replicationMs,
    () => {
      const changes = createChangeLog()
      return (replica) => laggingReplica(changes, replica)
    },
  ),
  dialect(
    'replicas-of-different-speed',
    'Each replica answers 40 ms later than the previous one.',
    0,
    () => (replica) => (replica === 0 ? (services) => services : delayAnswers(40 * replica)),
  ),
]

/** The latest change of an object; `before` is the value that other replicas still return. */
interface Change {
  readonly replica: number
  readonly atMs: number
  readonly before: unknown
}

type ChangeLog = ReturnType<typeof createChangeLog>

function createChangeLog() {
  const changes = new Map<string, Change>()
  return {
    note(id: string, replica: number, before: unknown): void {
      changes.set(id, { replica, atMs: performance.now(), before })
    },
    /** The change that is not visible on a replica yet. */
    hidden(id: string, replica: number): Change | undefined {
      const change = changes.get(id)
      const isHidden =
        change !== undefined &&
        change.replica !== replica &&
        performance.now() - change.atMs < replicationMs
      return isHidden ? change : undefined
    },
  }
}

/** Delays chats, histories, messages and files; Idempotency-Keys are shared immediately. */
function laggingReplica(log: ChangeLog, replica: number): Patch {
  const isHidden = (id: string) => log.hidden(id, replica) !== undefined
  const note = (id: string, before?: unknown) => log.note(id, replica, before)
  return compose([
    onStore('chats', (chats) => laggingChats(chats, log, replica)),
    onStore('history', (history) => {
      /** A run that is not replicated yet hides all later runs. */
      const visibleRuns = async (chat: string): Promise<readonly StoredRun[]> => {
        const runs = await history.runs(chat)
        const end = runs.findIndex(({ id }) => isHidden(id))
        return end < 0 ? runs : runs.slice(0, end)
      }
      return {
        append: async (chat, run) => {
          note(run.id)
          await history.append(chat, run)
        },
        runs: visibleRuns,
        page: async (chat, after, limit) => {
          const runs = await visibleRuns(chat)
          const all = runs.reduce((rows, run) => rows + run.input.length + run.output.length, 0)
          const { rows } = await history.page(
            chat,
            after,
            Math.min(limit, Math.max(0, all - after)),
          )
          const end = after + rows.length
          return { rows, next: end < all ? end : null }
        },
      }
    }),
    onStore('messages', (messages) => ({
      append: async (message) => {
        note(message.id)
        await messages.append(message)
      },
      find: async (chat, id) => (isHidden(id) ? undefined : messages.find(chat, id)),
      chain: async (chat, id) => (isHidden(id) ? [] : messages.chain(chat, id)),
    })),
    onStore('attachments', (attachments) => ({
      add: async (attachment) => {
        note(attachment.id)
        await attachments.add(attachment)
      },
      find: async (owner, id) => (isHidden(id) ? undefined : attachments.find(owner, id)),
      list: editedRows(attachments.list, (rows) => rows.filter(({ id }) => !isHidden(id))),
    })),
  ])
}

function laggingChats(
  chats: Store['chats'],
  log: ChangeLog,
  replica: number,
): Partial<Store['chats']> {
  const visibleChat = (id: string, current: Chat | undefined): Chat | undefined => {
    const change = log.hidden(id, replica)
    return change === undefined ? current : (change.before as Chat | undefined)
  }
  const noteBefore = async (owner: string, id: string) => {
    const before = await chats.find(owner, id)
    if (before !== undefined) log.note(id, replica, before)
  }
  return {
    create: async (chat) => {
      log.note(chat.id, replica, undefined)
      await chats.create(chat)
    },
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
}
