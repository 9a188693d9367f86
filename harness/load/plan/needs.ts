import { type Arrival, arrivals, isOwnArrival, type Part, type PlanSpec } from './plan.ts'

/** Chats that a part of a plan needs before it begins. */
export interface Needs {
  readonly v3: number
  readonly v2: number
  readonly history: number
}

/** What a part sends, in numbers. */
export interface PartSize {
  readonly transactions: number
  readonly needs: Needs
}

/** More are made when they are needed, within the transaction that needs them. */
const maxPrepared = 20_000
const sharedV2 = 4
const sharedHistories = 2

export function partSize(spec: PlanSpec, part: Part): PartSize {
  const count = { transactions: 0, v3: 0, v2: 0, history: 0 }
  const most = Math.ceil(maxPrepared / part.of)
  for (const arrival of arrivals(spec)) {
    if (arrival.plannedNs === null && arrival.index >= closedLoopSample) break
    if (!isOwnArrival(arrival, part)) continue
    count.transactions += 1
    const chat = chatOf(spec, arrival)
    if (chat !== undefined) count[chat] += 1
  }
  return {
    transactions: count.transactions,
    needs: {
      v3: Math.min(count.v3, most),
      v2: Math.min(count.v2, sharedV2),
      history: Math.min(count.history, sharedHistories),
    },
  }
}

/** Of the transactions of a part, those that are due before a moment; null where none has a time. */
export function countDueBefore(spec: PlanSpec, part: Part, ns: number): number | null {
  let due = 0
  for (const arrival of arrivals(spec)) {
    if (arrival.plannedNs === null) return null
    if (arrival.plannedNs >= ns) break
    if (isOwnArrival(arrival, part)) due += 1
  }
  return due
}

/** A closed loop has no end in numbers; so many transactions say what it is made of. */
const closedLoopSample = 200

function chatOf({ mix }: PlanSpec, { entry }: Arrival): 'v3' | 'v2' | 'history' | undefined {
  const kind = mix.entries[entry]?.kind
  if (kind === 'v3-stream' || kind === 'v3-json' || kind === 'v3-chat') return 'v3'
  if (kind === 'v2-turn') return 'v2'
  return kind === 'v3-history' ? 'history' : undefined
}
