import { bodyLength, type Exchange } from '../../../../contract/index.ts'
import type { TargetProfile } from '../../profile/index.ts'
import { RunEndedError } from '../errors.ts'
import type { RunState } from '../run-state.ts'
import { overtimeCleanupMs } from './grace-periods.ts'

type Limits = Pick<TargetProfile['limits'], 'runMs' | 'runBytes'>

/** Limits of a whole run. If `endsAt` is null, as over a recording, time does not count. */
export interface RunLimits {
  countBytes(exchange: Exchange): void
  /** @throws RunEndedError if nothing more may be asked. */
  assertWithinLimits(): void
  /** Aborts with the RunEndedError of {@link assertWithinLimits}; a little later for cleanup. */
  signalFor(isCleanup: boolean): AbortSignal | undefined
}

/** @param endsAt milliseconds since the epoch. */
export function createRunLimits(
  limits: Limits,
  endsAt: number | null,
  state: RunState['received'],
): RunLimits {
  const reason = `the run took longer than ${limits.runMs} ms (limits.runMs) and sends no more requests`
  const work = abortedAt(endsAt, reason)
  const cleanupSignal = abortedAt(endsAt === null ? null : endsAt + overtimeCleanupMs, reason)

  return {
    countBytes(exchange) {
      state.bytes += bodyLength(exchange)
    },
    assertWithinLimits() {
      // The timer of the signal may be late.
      const isLate = endsAt !== null && Date.now() >= endsAt
      if (isLate || work?.aborted) throw new RunEndedError(reason)
      if (state.bytes <= limits.runBytes) return
      throw new RunEndedError(
        `the target sent more than ${limits.runBytes} bytes in this run (limits.runBytes); no more requests are sent`,
      )
    },
    signalFor: (isCleanup) => (isCleanup ? cleanupSignal : work),
  }
}

function abortedAt(endsAt: number | null, reason: string): AbortSignal | undefined {
  if (endsAt === null) return undefined
  const controller = new AbortController()
  // A run that ends sooner is not kept waiting.
  setTimeout(
    () => controller.abort(new RunEndedError(reason)),
    Math.max(0, endsAt - Date.now()),
  ).unref()
  return controller.signal
}
