import { setTimeout as sleep } from 'node:timers/promises'
import {
  createEvidenceTransport,
  createNetworkTransport,
  createRecordingTransport,
  createRedactor,
  type Outgoing,
  Outlet,
  type Pending,
  type Redactor,
  StoredRecording,
  type Transport,
} from '../../client/index.ts'
import type { Exchange } from '../../contract/index.ts'
import { appendExchange } from '../exchanges-file.ts'
import { deletedChat, journalWriter, type WriteJournal } from '../journal.ts'
import { networkOf } from '../profile/index.ts'
import type { RunSetup } from '../run-setup.ts'
import { createBackOff } from './back-off.ts'
import { createBreaker } from './breaker.ts'
import { createBudget } from './budget.ts'
import { CircuitOpenError } from './errors.ts'
import { drawFrom } from './identities.ts'
import { secretsOf } from './secrets.ts'
import { createSemaphore } from './semaphore.ts'

export { secretsOf }

/** The one owner of what all scenarios of a run share. */
export interface RunContext {
  readonly setup: RunSetup
  readonly redactor: Redactor
  /** Waits for one of the slots of `--jobs`; the result gives it back. */
  acquire(): Promise<() => void>
  nextExchangeId(): string
  /**
   * Sends once what the budget, the pace and the circuit breaker allow; writes the exchange down.
   * Rejects where the signal does not wait for its turn.
   */
  send(outgoing: Outgoing, signal: AbortSignal): Promise<Pending>
  /** Obeys a 429 or 503: milliseconds to wait before the next try, or null to give up. */
  retryAfter(exchange: Exchange, attempt: number): number | null
  /** Does not wait where a recording answers; rejects where the signal does not. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** Writes down, before it is sent, what is about to be created, and what became of it. */
  readonly journal: WriteJournal
}

export function createRunContext(setup: RunSetup): RunContext {
  const { profile } = setup
  const live = setup.recordingFile === null
  const secrets = secretsOf(setup)
  const redactor = createRedactor(secrets)
  const outlet = new Outlet(secrets)
  const transport = openTransport(setup, redactor)
  const slots = createSemaphore(
    setup.jobs,
    setup.shuffle === null ? undefined : drawFrom(setup.shuffle),
  )
  const pace = createBackOff(profile.limits.requestsPerSecond)
  const breaker = createBreaker()
  const budget = createBudget(setup.maxRequests, setup.spentBefore)
  const write = live ? journalWriter(setup.journalFile, secrets) : () => {}
  const journal: WriteJournal = (entry) => {
    budget.note(entry)
    write(entry)
  }
  let exchanges = 0

  return {
    setup,
    redactor,
    acquire: () => slots.acquire(),
    // What is recorded keeps its id, so what is missing needs another kind.
    nextExchangeId: () => `${live ? 'x' : 'missing-'}${++exchanges}`,
    async send(outgoing, signal) {
      if (live && breaker.open) throw new CircuitOpenError(breaker.reason)
      budget.spend(outgoing.labels.role)
      if (live) await pace.turn(signal)
      const pending = transport.send(outgoing)
      const exchange = pending.exchange.then((ended) => {
        breaker.note(ended)
        writeDown(ended)
        const gone = deletedChat(ended)
        if (gone !== undefined) journal({ event: 'deleted', kind: 'chat', id: gone })
        return ended
      })
      return { answered: pending.answered, exchange }
    },
    retryAfter(exchange, attempt) {
      const waitMs = pace.retryAfter(exchange, attempt)
      if (waitMs === null) breaker.giveUp(exchange)
      return waitMs
    },
    sleep: (ms, signal) => (live ? sleep(ms, undefined, { signal }) : Promise.resolve()),
    journal,
  }

  function writeDown(exchange: Exchange): void {
    appendExchange(outlet, setup.exchangesFile, redactor.exchange(exchange))
  }
}

function openTransport(setup: RunSetup, redactor: Redactor): Transport {
  if (setup.recordingFile === null) return createNetworkTransport(networkOf(setup.profile))
  const recorded = new StoredRecording(setup.recordingFile)
  return setup.evidence
    ? createEvidenceTransport(recorded, redactor.request)
    : createRecordingTransport(recorded)
}
