import { setTimeout as sleep } from 'node:timers/promises'
import {
  bodyLength,
  type Exchange,
  operationOf,
  operations,
  requestPath,
  succeeded,
} from '../../../../contract/index.ts'
import type { Outgoing } from '../../../client/index.ts'
import type { JournalEntry } from '../../cleanup/journal.ts'
import { overtimeCleanupMs } from '../../defaults.ts'
import type { TargetProfile } from '../../profile/index.ts'
import type { RunSetup } from '../../run-setup.ts'
import {
  BudgetSpentError,
  GenerationsSpentError,
  InconclusiveError,
  RunEndedError,
} from '../errors.ts'
import { type RunState, steadyNow } from '../run-state.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { createLimitBreaches, describeRequest, findExcess } from './limit-breaches.ts'
import { createRateLimiter, isDown } from './rate-limiter.ts'

type Deadline = AbortSignal | undefined

/** Creates the entrance for all requests of a run: it applies its limits, and closes early if the run must end. */
export function createGate(setup: RunSetup) {
  const { limits } = setup.profile
  const { state } = setup
  const live = setup.recordingFile === null
  const pace = createRateLimiter(limits, state.pace)
  const breaker = createCircuitBreaker(state.circuit, () => state.exchanges)
  const budget = createBudget(setup, state.budget)
  const limitBreaches = createLimitBreaches(state)
  const runLimits = createRunLimits(limits, setup.endsAt, state.received)

  function assertOpen(outgoing: Request): void {
    const { role } = outgoing.labels
    if (live && breaker.isOpen) {
      throw new RunEndedError(`no more requests were sent: ${breaker.reason}`)
    }
    if (live && role !== 'cleanup') {
      runLimits.assertWithinLimits()
      limitBreaches.assertMayAsk(outgoing)
    }
    budget.assertCovers(outgoing)
  }

  return {
    /** Waits until this number of requests may be sent at once, `inBurst`. */
    async waitForBurst(requests: number, signal: AbortSignal): Promise<void> {
      if (!live) return
      const wait = (both: () => AbortSignal) => pace.waitForSlots(requests, both)
      await withDeadline(wait, signal, runLimits.signalFor(false))
    },
    /**
     * Waits for the pace, then counts the request as sent.
     * @param signal ends the wait
     * @param inBurst `waitForBurst` has waited for it
     * @returns a signal that aborts the conversation at the end of the run's time, if that is limited
     * @throws NotSentError if the request may not be sent, before or after the wait
     */
    async enter(outgoing: Request, signal: AbortSignal, inBurst: boolean): Promise<Deadline> {
      const deadline = runLimits.signalFor(outgoing.labels.role === 'cleanup')
      assertOpen(outgoing)
      if (live && !inBurst) {
        await withDeadline((both) => pace.waitForSlots(1, both), signal, deadline)
        // Other requests have been answered meanwhile.
        assertOpen(outgoing)
      }
      budget.spend(outgoing)
      return deadline
    },
    /** Called for each conversation that has ended. */
    leave(exchange: Exchange): void {
      pace.recordEnding(exchange)
      // Of a target that is down, the last try counts.
      if (!isDown(exchange)) breaker.recordEnding(exchange)
      runLimits.countBytes(exchange)
      budget.settle(exchange)
    },
    /** Tests if a response refuses a request that was accepted earlier in the run. */
    contradicts: breaker.contradicts,
    /** Obeys a 429 or 503: milliseconds to wait before the next try, or null to give up. */
    retryAfter(exchange: Exchange, attempt: number): number | null {
      const waitMs = pace.retryAfter(exchange, attempt)
      if (waitMs === null) breaker.giveUp(exchange)
      return waitMs
    },
    /** Does not wait during a rejudge; rejects once the signal or the time of the run ends the wait. */
    async sleep(ms: number, signal: AbortSignal): Promise<void> {
      if (!live) return
      const wait = (both: () => AbortSignal) => sleep(ms, undefined, { signal: both() })
      await withDeadline(wait, signal, runLimits.signalFor(false))
    },
    /**
     * Records a response beyond a limit of the profile.
     * @throws InconclusiveError if a scenario cannot use the response
     */
    assertWithinLimits(exchange: Exchange): void {
      limitBreaches.recordEnding(exchange)
      // Aborting at the end of the run's time is not a breach of a limit.
      if (exchange.ending.kind === 'aborted') runLimits.assertWithinLimits()
      const excess = findExcess(exchange, limits)
      if (excess === undefined) return
      limitBreaches.add(exchange, excess)
      throw new InconclusiveError(`${describeRequest(exchange)} ${excess}`, [exchange.id])
    },
    limitBreaches,
    /** Reserves requests for the deletion of what is created. */
    track: budget.track,
  }
}

/** Rejects with the reason of the deadline if that comes first: timers reject with their own error. */
async function withDeadline(
  wait: (signal: () => AbortSignal) => Promise<void>,
  signal: AbortSignal,
  deadline: Deadline,
): Promise<void> {
  try {
    await wait(() => anySignal(signal, deadline))
  } catch (error) {
    if (!signal.aborted) deadline?.throwIfAborted()
    throw error
  }
}

export function anySignal(one: AbortSignal, other: Deadline): AbortSignal {
  return other === undefined ? one : AbortSignal.any([one, other])
}

type Limits = Pick<TargetProfile['limits'], 'runMs' | 'runBytes'>

/**
 * Limits of a whole run.
 * @param endsAt milliseconds since the epoch; null if time does not count, as in a rejudge
 */
function createRunLimits(limits: Limits, endsAt: number | null, state: RunState['received']) {
  const reason = `the run took longer than ${limits.runMs} ms and sends no more requests: raise limits.runMs in the target profile`
  const work = abortedAt(endsAt, reason)
  const cleanupSignal = abortedAt(endsAt === null ? null : endsAt + overtimeCleanupMs, reason)

  return {
    countBytes(exchange: Exchange): void {
      state.bytes += bodyLength(exchange)
    },
    /** @throws RunEndedError if no more requests may be sent. */
    assertWithinLimits(): void {
      // The timer of the signal may be late.
      const isLate = endsAt !== null && steadyNow() >= endsAt
      if (isLate || work?.aborted) throw new RunEndedError(reason)
      if (state.bytes <= limits.runBytes) return
      throw new RunEndedError(
        `the target sent more than ${limits.runBytes} bytes in this run, which sends no more requests: raise limits.runBytes in the target profile`,
      )
    },
    /** Aborts with the RunEndedError; somewhat later for cleanup. */
    signalFor: (isCleanup: boolean) => (isCleanup ? cleanupSignal : work),
  }
}

function abortedAt(endsAt: number | null, reason: string): AbortSignal | undefined {
  if (endsAt === null) return undefined
  const controller = new AbortController()
  // Does not keep the process alive.
  setTimeout(
    () => controller.abort(new RunEndedError(reason)),
    Math.max(0, endsAt - steadyNow()),
  ).unref()
  return controller.signal
}

type Request = Pick<Outgoing, 'labels' | 'request'>

/** `--max-requests` and `--max-generations`: the remaining budget. */
export function createBudget(
  { maxRequests, maxGenerations }: Pick<RunSetup, 'maxRequests' | 'maxGenerations'>,
  state: RunState['budget'],
) {
  /** A scenario may have deleted its chat already: that request is no longer reserved. */
  function deletesReserved({ labels, request }: Request): boolean {
    if (labels.role !== 'cleanup') return false
    return state.chats.has(decodeURIComponent(requestPath({ request }).split('/').at(-1) ?? ''))
  }

  return {
    /** @throws BudgetSpentError or GenerationsSpentError if the request may not be sent. */
    assertCovers(outgoing: Request): void {
      const reserved = deletesReserved(outgoing) ? 0 : state.pendingChats + state.chats.size
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
      if (entry.event === 'created') {
        state.chats.add(entry.id)
        state.created.add(entry.id)
      }
      if (entry.event === 'deleted') state.chats.delete(entry.id)
    },
  }
}

/** A repeat with the same key adds no step (section 4.3). */
function generates(exchange: Pick<Exchange, 'request' | 'labels'>): boolean {
  if (exchange.labels.repeatOf !== undefined) return false
  const operation = operationOf(exchange)
  return operation !== undefined && 'generates' in operations[operation]
}
