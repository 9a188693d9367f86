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
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one short method a limit
export function createGate(setup: RunSetup) {
  const { state, endsAt } = setup
  const { limits } = setup.profile
  const live = setup.recordingFile === null
  const pace = createRateLimiter(limits, state.pace)
  const breaker = createCircuitBreaker(state.circuit, () => state.exchanges)
  const budget = createBudget(setup, state.budget)
  const limitBreaches = createLimitBreaches(state)
  const tooLong = `the run took longer than ${limits.runMs} ms, so no more requests are sent: raise limits.runMs in the target profile`
  const work = abortedAt(endsAt, tooLong)
  const cleanup = abortedAt(endsAt === null ? null : endsAt + overtimeCleanupMs, tooLong)

  function assertOpen(outgoing: Request): void {
    if (live && breaker.isOpen) {
      throw new RunEndedError(`no more requests were sent: ${breaker.reason}`)
    }
    if (live && outgoing.labels.role !== 'cleanup') {
      assertTimeAndBytes()
      limitBreaches.assertMayAsk(outgoing)
    }
    budget.assertCovers(outgoing)
  }

  function assertTimeAndBytes(): void {
    // The timer of the signal may be late.
    const isLate = endsAt !== null && steadyNow() >= endsAt
    if (isLate || work?.aborted) throw new RunEndedError(tooLong)
    if (state.received.bytes <= limits.runBytes) return
    throw new RunEndedError(
      `the target sent more than ${limits.runBytes} bytes in this run, so no more requests are sent: raise limits.runBytes in the target profile`,
    )
  }

  /**
   * Does not wait during a rejudge; rejects once the signal or the deadline ends the wait. If the deadline
   * does, with its reason: timers reject with their own error.
   */
  async function within(
    signal: AbortSignal,
    wait: (signal: () => AbortSignal) => Promise<void>,
    deadline: Deadline = work,
  ): Promise<void> {
    if (!live) return
    try {
      await wait(() => anySignal(signal, deadline))
    } catch (error) {
      if (!signal.aborted) deadline?.throwIfAborted()
      throw error
    }
  }

  return {
    /** Waits until this number of requests may be sent at once, `inBurst`. */
    waitForBurst: (requests: number, signal: AbortSignal): Promise<void> =>
      within(signal, (both) => pace.waitForSlots(requests, both)),
    /**
     * Waits for the pace, then counts the request as sent.
     * @param signal ends the wait
     * @param inBurst `waitForBurst` has waited for it
     * @returns a signal that aborts the conversation at the end of the run's time, if that is limited
     * @throws NotSentError if the request may not be sent, before or after the wait
     */
    async enter(outgoing: Request, signal: AbortSignal, inBurst: boolean): Promise<Deadline> {
      const deadline = outgoing.labels.role === 'cleanup' ? cleanup : work
      assertOpen(outgoing)
      if (live && !inBurst) {
        await within(signal, (both) => pace.waitForSlots(1, both), deadline)
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
      state.received.bytes += bodyLength(exchange)
      budget.settle(exchange)
    },
    contradicts: breaker.contradicts,
    knowsKeyOf: breaker.knowsKeyOf,
    /** Obeys a 429 or 503: milliseconds to wait before the next try, or null to give up. */
    retryAfter(exchange: Exchange, attempt: number): number | null {
      const waitMs = pace.retryAfter(exchange, attempt)
      if (waitMs === null) breaker.giveUp(exchange)
      return waitMs
    },
    sleep: (ms: number, signal: AbortSignal): Promise<void> =>
      within(signal, (both) => sleep(ms, undefined, { signal: both() })),
    /**
     * Records a response beyond a limit of the profile.
     * @throws InconclusiveError if a scenario cannot use the response
     */
    assertWithinLimits(exchange: Exchange): void {
      limitBreaches.recordEnding(exchange)
      // Aborting at the end of the run's time is not a breach of a limit.
      if (exchange.ending.kind === 'aborted') assertTimeAndBytes()
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

export function anySignal(one: AbortSignal, other: Deadline): AbortSignal {
  return other === undefined ? one : AbortSignal.any([one, other])
}

/** @param endsAt milliseconds since the epoch; null if time does not count, as in a rejudge */
function abortedAt(endsAt: number | null, reason: string): Deadline {
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
