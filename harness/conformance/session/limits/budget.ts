import type { Role } from '../../../../contract/index.ts'
import type { JournalEntry } from '../../cleanup/journal.ts'
import { BudgetSpentError } from '../errors.ts'

/** `--max-requests`: what may still be sent. */
export interface Budget {
  /** @throws BudgetSpentError where nothing more may be sent for this purpose. */
  spend(role: Role): void
  /** Called for every chat, so that the request that deletes it stays reserved. */
  track(entry: JournalEntry): void
}

/** @param spentBefore requests before the first scenario. */
export function createBudget(maxRequests: number | null, spentBefore: number): Budget {
  let spent = spentBefore
  let pendingChats = 0
  const chats = new Set<string>()

  return {
    spend(role) {
      const reserved = role === 'cleanup' ? 0 : pendingChats + chats.size
      if (maxRequests !== null && spent + reserved >= maxRequests)
        throw new BudgetSpentError(maxRequests)
      spent += 1
    },
    track(entry) {
      if (entry.kind !== 'chat') return
      if (entry.event === 'create') pendingChats += 1
      if (entry.event === 'created' || entry.event === 'refused') pendingChats -= 1
      if (entry.event === 'created') chats.add(entry.id)
      if (entry.event === 'deleted') chats.delete(entry.id)
    },
  }
}
