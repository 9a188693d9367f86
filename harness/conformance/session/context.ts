import { setTimeout as sleep } from 'node:timers/promises'
import type { Exchange, ExchangeLabels, OperationId } from '../../../contract/index.ts'
import {
  createEvidenceTransport,
  createNetworkTransport,
  createRecordingTransport,
  createRedactor,
  type Outgoing,
  type Pending,
  RedactingWriter,
  type Redactor,
  StoredRecording,
  type Transport,
} from '../../client/index.ts'
import { deletedChat, journalWriter, type WriteJournal } from '../cleanup/journal.ts'
import { networkOf } from '../profile/index.ts'
import { appendExchange } from '../recording/result-files.ts'
import type { RunSetup } from '../run-setup.ts'
import { CircuitOpenError, InconclusiveError } from './errors.ts'
import { currentSlug } from './former-slugs.ts'
import { createRandomPicker } from './identities.ts'
import { createBudget } from './limits/budget.ts'
import { createCircuitBreaker } from './limits/circuit-breaker.ts'
import {
  createLimitBreaches,
  describeRequest,
  findExcess,
  type LimitBreaches,
} from './limits/limit-breaches.ts'
import { createRateLimiter } from './limits/rate-limiter.ts'
import { createRunLimits } from './limits/run-limits.ts'
import { createSemaphore, type Priority } from './limits/semaphore.ts'
import { acquireSlot, type Slot } from './limits/slot.ts'
import { createLoopDelayMonitor } from './loop-delay-monitor.ts'
import { createSupplements, type Members, type Supplements } from './requests/supplements.ts'
import { secretsOf } from './secrets.ts'

export type RequestPlace = Pick<ExchangeLabels, 'scenario' | 'ordinal'>

/** The one owner of what all scenarios of a run share. */
export interface RunContext {
  readonly setup: RunSetup
  readonly redactor: Redactor
  /** Waits for one of the slots of `--jobs`. */
  acquireSlot(priority: Priority): Promise<Slot>
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
  /**
   * Notes and tells what a target sent beyond a limit of the profile.
   * @throws InconclusiveError where the answer is no basis for a scenario.
   */
  assertWithinLimits(exchange: Exchange): void
  /** Answers beyond a limit, by their route. */
  readonly limitBreaches: LimitBreaches
  /** Members that the target needs beyond those that the document requires. */
  readonly supplements: Supplements
  /**
   * The members that a request carries from its first try on: those learned so far or, where a
   * recording answers, those that it carried when it was recorded.
   */
  suppliedAtFirst(operation: OperationId, place: RequestPlace): Members
  /** Writes down, before it is sent, what is about to be created, and what became of it. */
  readonly journal: WriteJournal
}

export function createRunContext(setup: RunSetup): RunContext {
  const { profile } = setup
  const live = setup.recordingFile === null
  const secrets = secretsOf(setup)
  const redactor = createRedactor(secrets)
  const writer = new RedactingWriter(secrets)
  const recorded =
    setup.recordingFile === null ? undefined : new StoredRecording(setup.recordingFile)
  const transport = openTransport(setup, recorded, redactor)
  const suppliedBefore = new Map(recorded ? suppliedIn(recorded) : [])
  const supplements = createSupplements(profile)
  const loop = createLoopDelayMonitor()
  const slots = createSemaphore(
    setup.jobs,
    setup.shuffle === null ? undefined : createRandomPicker(setup.shuffle),
  )
  const pace = createRateLimiter(profile.limits)
  const breaker = createCircuitBreaker()
  const budget = createBudget(setup.maxRequests, setup.spentBefore)
  const write = live ? journalWriter(setup.journalFile, secrets) : () => {}
  const journal: WriteJournal = (entry) => {
    budget.track(entry)
    write(entry)
  }
  const limitBreaches = createLimitBreaches()
  const runLimits = createRunLimits(profile.limits, setup.endsAt)
  let exchanges = setup.exchangesBefore ?? 0

  return {
    setup,
    redactor,
    acquireSlot: (priority) => acquireSlot(slots, priority),
    // What is recorded keeps its id, so what is missing needs another kind.
    nextExchangeId: () => `${live ? 'x' : 'missing-'}${++exchanges}`,
    async send(outgoing, signal) {
      if (live && breaker.isOpen) throw new CircuitOpenError(breaker.reason)
      const isCleanup = outgoing.labels.role === 'cleanup'
      if (live && !isCleanup) assertAllowed(outgoing)
      budget.spend(outgoing.labels.role)
      const outOfTime = runLimits.signalFor(isCleanup)
      if (live) await withDeadline((both) => pace.waitForSlot(both), signal, outOfTime)
      const loopDelay = loop.begin()
      const pending = transport.send(
        outOfTime === undefined
          ? outgoing
          : {
              ...outgoing,
              signal: outgoing.signal ? anySignal(outgoing.signal, outOfTime) : outOfTime,
            },
      )
      const exchange = pending.exchange.then((answer) => {
        const loopDelayMs = loopDelay()
        // No copy: it would decode the events of every stream, and keep them.
        const ended = live ? Object.assign(answer, { loopDelayMs }) : answer
        if (outgoing.protocol === undefined) breaker.recordEnding(ended)
        runLimits.countBytes(ended)
        writeDown(ended)
        const deletedId = deletedChat(ended)
        if (deletedId !== undefined) journal({ event: 'deleted', kind: 'chat', id: deletedId })
        return ended
      })
      return { answered: pending.answered, exchange }
    },
    retryAfter(exchange, attempt) {
      const waitMs = pace.retryAfter(exchange, attempt)
      if (waitMs === null) breaker.giveUp(exchange)
      return waitMs
    },
    async sleep(ms, signal) {
      if (!live) return
      await withDeadline(
        (both) => sleep(ms, undefined, { signal: both() }),
        signal,
        runLimits.signalFor(false),
      )
    },
    assertWithinLimits(exchange) {
      // What was left because the time of the run is over is nobody's excess.
      if (exchange.ending.kind === 'aborted') runLimits.assertWithinLimits()
      const excess = findExcess(exchange, profile.limits)
      if (excess === undefined) return
      limitBreaches.add(exchange, excess)
      throw new InconclusiveError(`${describeRequest(exchange)} ${excess}`, [exchange.id])
    },
    limitBreaches,
    supplements,
    suppliedAtFirst(operation, place) {
      const names = suppliedBefore.get(placeKey(place))
      return names === undefined
        ? supplements.learned(operation)
        : supplements.valuesOf(operation, names)
    },
    journal,
  }

  function assertAllowed(outgoing: Outgoing): void {
    runLimits.assertWithinLimits()
    const reason = limitBreaches.refusalReason(outgoing)
    if (reason !== undefined) throw new InconclusiveError(reason)
  }

  function writeDown(exchange: Exchange): void {
    appendExchange(writer, setup.exchangesFile, redactor.exchange(exchange))
  }
}

/** Rejects with the reason of the run's end where that comes first: timers have an error of their own. */
async function withDeadline(
  wait: (signal: () => AbortSignal) => Promise<void>,
  signal: AbortSignal,
  outOfTime: AbortSignal | undefined,
): Promise<void> {
  try {
    await wait(() => anySignal(signal, outOfTime))
  } catch (error) {
    if (!signal.aborted) outOfTime?.throwIfAborted()
    throw error
  }
}

function anySignal(one: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other === undefined ? one : AbortSignal.any([one, other])
}

function placeKey({ scenario, ordinal }: RequestPlace): string {
  return JSON.stringify([scenario, ordinal])
}

/** The members that first tries carried beside what their scenario wrote. */
function* suppliedIn(recorded: StoredRecording): Generator<[string, readonly string[]]> {
  for (const { labels } of recorded.values()) {
    if (labels.attempt === 0) yield [placeKey(labels), labels.supplied ?? []]
  }
}

function openTransport(
  setup: RunSetup,
  recorded: StoredRecording | undefined,
  redactor: Redactor,
): Transport {
  if (recorded === undefined) {
    return createNetworkTransport(networkOf(setup.profile), setup.profile.limits)
  }
  return setup.evidence
    ? createEvidenceTransport(recorded, redactor.request, currentSlug)
    : createRecordingTransport(recorded)
}
