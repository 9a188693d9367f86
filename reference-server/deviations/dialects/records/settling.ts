/** Eventual consistency: writes that become visible with a delay. */
import type { Page } from '../../../store/types.ts'
import { compose, onStore } from '../../patches/services.ts'
import { dialectTable } from '../../table.ts'

const settlingMs = 250

export const settling = dialectTable({
  'history-settles-late: A step appears in the history 250 ms after its response was created.':
    onStore('history', (original) => ({
      page: async (...query) => settledRows(await original.page(...query)),
    })),
  'lists-settle-late: Chats and attachments are listed 250 ms after their creation.': compose([
    onStore('chats', ({ list }) => ({
      list: async (...query) => settledRows(await list(...query)),
    })),
    onStore('attachments', ({ list }) => ({
      list: async (...query) => settledRows(await list(...query)),
    })),
  ]),
  'deletion-settles-late: A chat is removed 250 ms after its deletion.': onStore(
    'chats',
    (chats) => ({
      delete: async (owner, id) => {
        const exists = (await chats.find(owner, id)) !== undefined
        setTimeout(() => void chats.delete(owner, id), settlingMs).unref()
        return exists
      },
    }),
  ),
  'documents-settle-late: A document is found by searches 250 ms after its upload.': onStore(
    'knowledge',
    ({ documents }) => ({
      documents: async (...base) => (await documents(...base)).filter(isSettled),
    }),
  ),
})

interface Timed {
  readonly createdAt: number
}

function isSettled({ createdAt }: Timed): boolean {
  return createdAt < Date.now() - settlingMs
}

function settledRows<Row extends Timed>({ rows, next }: Page<Row>): Page<Row> {
  return { rows: rows.filter(isSettled), next }
}
