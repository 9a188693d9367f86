import {
  type Exchange,
  operationAt,
  operations,
  requestPath,
  succeeded,
} from '../../../../contract/index.ts'
import type { Outgoing } from '../../../client/index.ts'
import type { JournalEntry } from '../../cleanup/journal.ts'
import type { RunSetup } from '../../run-setup.ts'
import { BudgetSpentError, GenerationsSpentError } from '../errors.ts'
import type { RunState } from '../run-state.ts'

type Request = Pick<Outgoing, 'labels' | 'request'>

/** `--max-requests` and `--max-generations`: what may still be sent. */
export function createBudget(
  { maxRequests, maxGenerations }: Pick<RunSetup, 'maxRequests' | 'maxGenerations'>,
  state: RunState['budget'],
) {
  return {
    /** @throws BudgetSpentError or GenerationsSpentError if the request may not be sent. */
    assertCovers(outgoing: Request): void {
      const reserved =
        outgoing.labels.role === 'cleanup' ? 0 : state.pendingChats + state.chats.size
      if (maxRequests !== null && state.requests + reserved >= maxRequests)
        throw new BudgetSpentError(maxRequests)
      if (state.generations >= maxGenerations && generates(outgoing))
        throw new GenerationsSpentError(maxGenerations)
    },
    /** Counts a request that is sent now. */
    spend(outgoing: Request): void {
      state.requests += 1
      state.generations += Number(generates(outgoing))
    },
    /** A request that was refused has generated nothing. */
    settle(exchange: Exchange): void {
      if (!succeeded(exchange)) state.generations -= Number(generates(exchange))
    },
    /** Called for every chat, so that the request that deletes it stays reserved. */
    track(entry: JournalEntry): void {
      if (entry.kind !== 'chat') return
      if (entry.event === 'create') state.pendingChats += 1
      if (entry.event === 'created' || entry.event === 'refused') state.pendingChats -= 1
      if (entry.event === 'created') state.chats.add(entry.id)
      if (entry.event === 'deleted') state.chats.delete(entry.id)
    },
  }
}

/** A repeat with the same key adds no step (section 4.3). */
function generates(exchange: Pick<Exchange, 'request' | 'labels'>): boolean {
  if (exchange.labels.repeatOf !== undefined) return false
  const operation = operationAt(exchange.request.method, requestPath(exchange))
  return operation !== undefined && 'generates' in operations[operation]
}
