/** The store of a server that goes on after a restart. */
import type { SeededBase, Store, StoreOptions } from '../types.ts'
import { sqlAttachments } from './attachments.ts'
import { sqlChats } from './chats.ts'
import type { Database } from './database.ts'
import { sqlHistory } from './history.ts'
import { sqlKnowledge } from './knowledge.ts'
import { freeRunningKeys, sqlLedger } from './ledger.ts'
import { sqlMessages } from './messages.ts'
import { migrate } from './schema.ts'

/**
 * Takes over the database, which is closed with the store.
 *
 * @throws StoreOpenError for a database of a newer server
 */
export async function sqlStore(
  database: Database,
  bases: readonly SeededBase[],
  { leaseMs = 10_000 }: StoreOptions = {},
): Promise<Store> {
  try {
    await migrate(database)
    if (database.exclusive) await freeRunningKeys(database)
  } catch (error) {
    await database.close()
    throw error
  }
  const ledger = sqlLedger(database, leaseMs)
  return {
    chats: sqlChats(database),
    history: sqlHistory(database, ledger.finish),
    messages: sqlMessages(database),
    attachments: sqlAttachments(database),
    knowledge: sqlKnowledge(database, bases),
    idempotency: ledger.store,
    durable: true,
    ready: async () => {
      await database.query('SELECT version FROM schema_version')
    },
    close: async () => {
      ledger.close()
      await database.close()
    },
  }
}
