import type { MixEntry } from './mix.ts'
import { type Arrival, arrivals, isOwnArrival, type Part, type PlanSpec } from './plan.ts'

/** Chats that a part of a plan needs before it starts. */
export interface ChatNeeds {
  /** One for each transaction that uses a chat of its own. */
  readonly v3: number
  readonly v2: number
  /** Chats with some turns, for readers of histories. */
  readonly history: number
}

/** Upper bound of prepared chats; further ones are created by the transactions that need them. */
const maxPrepared = 20_000
const sharedV2 = 4
const sharedHistories = 2

/** Size of a part of the plan, as sent by one shard or worker. */
export function partSize(spec: PlanSpec, part: Part) {
  const count = { transactions: 0, v3: 0, v2: 0, history: 0 }
  const maxChats = Math.ceil(maxPrepared / part.of)
  for (const arrival of arrivals(spec)) {
    if (arrival.plannedNs === null && arrival.index >= closedLoopSample) break
    if (!isOwnArrival(arrival, part)) continue
    count.transactions += 1
    const chat = chatOf(spec, arrival)
    if (chat !== undefined) count[chat] += 1
  }
  const needs: ChatNeeds = {
    v3: Math.min(count.v3, maxChats),
    v2: Math.min(count.v2, sharedV2),
    history: Math.min(count.history, sharedHistories),
  }
  return { transactions: count.transactions, needs }
}

/** Sampled transactions of a closed loop, whose number is unknown. */
const closedLoopSample = 200

function chatOf({ mix }: PlanSpec, { entry }: Arrival): 'v3' | 'v2' | 'history' | undefined {
  const kind = mix.entries[entry]?.kind
  if (kind === 'v3-stream' || kind === 'v3-json' || kind === 'v3-chat') return 'v3'
  if (kind === 'v2-turn') return 'v2'
  return kind === 'v3-history' ? 'history' : undefined
}

/** Minimum number of requests of a transaction without failures. */
export function minRequests({ kind }: MixEntry, { turns, race }: Arrival): number {
  if (kind === 'v2-turn') return 2
  if (kind === 'v3-chat') return turns
  // Both requests of the race, and the history that shows which of them was stored.
  return race && (kind === 'v3-stream' || kind === 'v3-json') ? 3 : 1
}
