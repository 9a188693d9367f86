/** The store of a server that forgets everything when it ends. */
import { memoryChats } from './memory-chats.ts'
import { memoryHistory } from './memory-history.ts'
import { type LedgerLimits, memoryLedger } from './memory-ledger.ts'
import type { Store } from './types.ts'

const day = 24 * 60 * 60 * 1000

export function memoryStore(limits: Partial<LedgerLimits> = {}): Store {
  const history = memoryHistory()
  return {
    history,
    chats: memoryChats(history),
    ledger: memoryLedger({ lifeMs: day, keys: 100_000, ...limits }),
  }
}
