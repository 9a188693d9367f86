import type { Role } from '../../../../contract/index.ts'
import type { JournalEntry } from '../../cleanup/journal.ts'
import { BudgetSpentError } from '../errors.ts'
import type { RunState } from '../run-state.ts'

/** `--max-requests`: what may still be sent. */
export interface Budget {
  /** @throws BudgetSpentError if nothing more may be sent for this purpose. */
  assertCovers(role: Role): void
  /** Counts a request that is sent now. */
  spend(): void
  /** Called for every chat, so that the request that deletes it stays reserved. */
  track(entry: JournalEntry): void
}

export function createBudget(maxRequests: number | null, state: RunState['budget']): Budget {
  return {
    assertCovers(role) {
      const reserved = role === 'cleanup' ? 0 : state.pendingChats + state.chats.size
      if (maxRequests !== null && state.requests + reserved >= maxRequests)
        throw new BudgetSpentError(maxRequests)
    },
    spend() {
      state.requests += 1
    },
    track(entry) {
      if (entry.kind !== 'chat') return
      if (entry.event === 'create') state.pendingChats += 1
      if (entry.event === 'created' || entry.event === 'refused') state.pendingChats -= 1
      if (entry.event === 'created') state.chats.add(entry.id)
      if (entry.event === 'deleted') state.chats.delete(entry.id)
    },
  }
}
