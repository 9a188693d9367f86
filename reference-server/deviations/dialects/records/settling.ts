/** Eventual consistency: writes that become visible with a delay. */
import type { Page } from '../../../store/types.ts'
import { compose, onStore } from '../../patches/services.ts'
import type { Dialect } from '../../types.ts'

const settlingMs = 250

export const settling: readonly Dialect[] = [
  {
    name: 'history-settles-late',
    summary: 'A step appears in the history 250 ms after its response was created.',
    patch: onStore('history', (original) => ({
      page: async (...query) => settledRows(await original.page(...query)),
    })),
  },
  {
    name: 'lists-settle-late',
    summary: 'Chats and attachments are listed 250 ms after their creation.',
    patch: compose([
      onStore('chats', ({ list }) => ({
        list: async (...query) => settledRows(await list(...query)),
      })),
      onStore('attachments', ({ list }) => ({
        list: async (...query) => settledRows(await list(...query)),
      })),
    ]),
  },
  {
    name: 'deletion-settles-late',
    summary: 'A chat is removed 250 ms after its deletion.',
    patch: onStore('chats', (chats) => ({
      delete: async (owner, id) => {
        const exists = (await chats.find(owner, id)) !== undefined
        setTimeout(() => void chats.delete(owner, id), settlingMs).unref()
        return exists
      },
    })),
  },
  {
    name: 'documents-settle-late',
    summary: 'A document is found by searches 250 ms after its upload.',
    patch: onStore('knowledge', ({ documents }) => ({
      documents: async (...base) => (await documents(...base)).filter(isSettled),
    })),
  },
]

interface Timed {
  readonly createdAt: number
}

function isSettled({ createdAt }: Timed): boolean {
  return createdAt < Date.now() - settlingMs
}

function settledRows<Row extends Timed>({ rows, next }: Page<Row>): Page<Row> {
  return { rows: rows.filter(isSettled), next }
}
