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
export interface RunState {
  /** Number in the id of the latest exchange. */
  exchanges: number
  /** `limits/gate.ts` */
  readonly budget: {
    /** Requests sent, those of the preflight included. */
    requests: number
    /** Generations requested, without those refused. */
    generations: number
    /** Chats whose creation has no response yet. */
    pendingChats: number
    /** Ids of chats that are still to be deleted. */
    readonly chats: Set<string>
    /** Ids of all chats that were created: a list may be read after the deletion of a chat that it shows. */
    readonly created: Set<string>
  }
  /** `limits/rate-limiter.ts`; as `steadyNow`, and origins that stayed down. */
  readonly pace: { nextSlotAt: number; readonly lost: Set<string> }
  /** `limits/circuit-breaker.ts` */
  readonly circuit: {
    consecutiveFailures: number
    /** Number of exchanges that were sent when the first of these failures was a lost connection. */
    sentBeforeLoss: number
    reason: string
    /** Server errors in a row, and the routes that they came from. */
    readonly breakdown: { count: number; readonly routes: Set<string>; reason: string | undefined }
    /** Answers in a row that refuse what was accepted earlier, since an exchange. */
    readonly contradictions: {
      /** Operations and keys that were accepted. */
      readonly accepted: Set<string>
      count: number
      since: string
      reason: string | undefined
    }
  }
  /** `limits/gate.ts` */
  readonly received: { bytes: number }
  /** `limits/limit-breaches.ts`, by route */
  readonly breaches: Map<string, { count: number; why: string }>
  /** `limits/limit-breaches.ts`: consecutive requests without a response in time, by form of the request */
  readonly silences: Map<string, number>
  /** `identities.ts`: nonces of all scenarios; `foreign-rows.ts`: the chats that each was sent to */
  readonly nonces: Map<string, Set<string>>
  /** `requests/supplements.ts` */
  readonly learned: Map<OperationId, Readonly<Record<string, unknown>>>
}

export function newRunState(): RunState {
  return {
    exchanges: 0,
    budget: { requests: 0, generations: 0, pendingChats: 0, chats: new Set(), created: new Set() },
    pace: { nextSlotAt: 0, lost: new Set() },
    circuit: {
      consecutiveFailures: 0,
      sentBeforeLoss: 0,
      reason: '',
      breakdown: { count: 0, routes: new Set(), reason: undefined },
      contradictions: { accepted: new Set(), count: 0, since: '', reason: undefined },
    },
    received: { bytes: 0 },
    breaches: new Map(),
    silences: new Map(),
    nonces: new Map(),
    learned: new Map(),
  }
}

/** Id of the next exchange; to be called only when it is sent. */
export function nextExchangeId(state: RunState, prefix = 'x'): string {
  state.exchanges += 1
  return `${prefix}${state.exchanges}`
}
