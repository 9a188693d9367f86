/** Changes that take a moment to be seen: what was written is not read back at once. */
import type { Patch } from '../../services.ts'
import type { Page, Store } from '../../store/types.ts'
import { onHistory } from '../seams.ts'
import type { Dialect } from '../types.ts'

const settlingMs = 250

export const settling: readonly Dialect[] = [
  {
    name: 'history-settles-late',
    summary: 'A turn is in the history a quarter of a second after its answer began.',
    patch: onHistory((original) => ({
      page: async (...where) => settled(await original.page(...where)),
    })),
  },
  {
    name: 'lists-settle-late',
    summary: 'Chats and attachments are listed a quarter of a second after they were made.',
    patch: onStore(({ attachments, chats }) => ({
      chats: { ...chats, list: async (...where) => settled(await chats.list(...where)) },
      attachments: {
        ...attachments,
        list: async (...where) => settled(await attachments.list(...where)),
      },
    })),
  },
  {
    name: 'deletion-settles-late',
    summary: 'A chat is gone a quarter of a second after it was deleted.',
    patch: onStore(({ chats }) => ({
      chats: {
        ...chats,
        delete: async (owner, id) => {
          const there = (await chats.find(owner, id)) !== undefined
          setTimeout(() => void chats.delete(owner, id), settlingMs).unref()
          return there
        },
      },
    })),
  },
  {
    name: 'documents-settle-late',
    summary: 'A document is found a quarter of a second after its upload.',
    patch: onStore(({ knowledge }) => ({
      knowledge: {
        ...knowledge,
        documents: async (...base) => (await knowledge.documents(...base)).filter(isSettled),
      },
    })),
  },
]

interface Timed {
  readonly createdAt: number
}

function isSettled({ createdAt }: Timed): boolean {
  return createdAt < Date.now() - settlingMs
}

function settled<Row extends Timed>({ rows, next }: Page<Row>): Page<Row> {
  const seen = rows.filter(isSettled)
  return { rows: seen, next }
}

function onStore(change: (store: Store) => Partial<Store>): Patch {
  return (services) => ({ ...services, store: { ...services.store, ...change(services.store) } })
}
