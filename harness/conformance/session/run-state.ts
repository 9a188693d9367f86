import type { OperationId } from '../../../contract/index.ts'

/** Milliseconds since the epoch at the start of the process, plus its age: a correction of the clock does not change it. */
export function steadyNow(): number {
  return performance.timeOrigin + performance.now()
}

/**
 * State of a whole run, all that it has sent, received and learned: plain data, passed from one stage of the
 * run to the next (suites, exploration, endpoints alone, cleanup), also between processes. Each field has one
 * owner, the only code that changes it.
 */
export type RunState = ReturnType<typeof newRunState>

export function newRunState() {
  return {
    /** Number in the id of the latest exchange. */
    exchanges: 0,
    /** `limits/gate.ts` */
    budget: {
      /** Requests sent, those of the preflight included. */
      requests: 0,
      /** Generations requested, without those refused. */
      generations: 0,
      /** Chats whose creation has no response yet. */
      pendingChats: 0,
      /** Ids of chats that are still to be deleted. */
      chats: new Set<string>(),
      /** Ids of all chats that were created: a list may be read after the deletion of a chat that it shows. */
      created: new Set<string>(),
    },
    /** `limits/rate-limiter.ts`; as `steadyNow`, and origins that stayed down. */
    pace: { nextSlotAt: 0, lost: new Set<string>() },
    /** `limits/circuit-breaker.ts` */
    circuit: {
      consecutiveFailures: 0,
      /** Number of exchanges that were sent when the first of these failures was a lost connection. */
      sentBeforeLoss: 0,
      reason: '',
      /** Server errors in a row, and the routes that they came from. */
      breakdown: {
        ...{ count: 0, sinceMs: 0, routes: new Set<string>() },
        reason: undefined as string | undefined,
      },
      /** Answers in a row that refuse what was accepted earlier, since an exchange. */
      contradictions: {
        /** Operations and keys that were accepted. */
        accepted: new Set<string>(),
        count: 0,
        since: '',
        /** Time of the first of them, as `steadyNow`. */
        sinceMs: 0,
        reason: undefined as string | undefined,
      },
    },
    /** `limits/gate.ts` */
    received: { bytes: 0 },
    /** `limits/limit-breaches.ts`, by route */
    breaches: new Map<string, { count: number; why: string }>(),
    /** `limits/limit-breaches.ts`: consecutive requests without a response in time, by form of the request */
    silences: new Map<string, number>(),
    /** `identities.ts`: nonces of all scenarios; `foreign-rows.ts`: the chats that each was sent to */
    nonces: new Map<string, Set<string>>(),
    /** `requests/send-with-retries.ts`: chats in which a turn was accepted */
    chatsWithTurns: new Set<string>(),
    /** `requests/supplements.ts` */
    learned: new Map<OperationId, Readonly<Record<string, unknown>>>(),
  }
}

/** Id of the next exchange; to be called only when it is sent. */
export function nextExchangeId(state: RunState, prefix = 'x'): string {
  state.exchanges += 1
  return `${prefix}${state.exchanges}`
}
