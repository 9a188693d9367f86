import { bodyLength, type Exchange } from '../../../../contract/index.ts'
import type { TargetProfile } from '../../profile/index.ts'
import { InconclusiveError } from '../errors.ts'
import { overtimeCleanupMs } from './grace-periods.ts'

type Limits = Pick<TargetProfile['limits'], 'runMs' | 'runBytes'>

/** Limits of a whole run. If `endsAt` is null, as over a recording, time does not count. */
export interface RunLimits {
  countBytes(exchange: Exchange): void
  /** @throws InconclusiveError where nothing more may be asked. */
  assertWithinLimits(): void
  /** Aborts with the InconclusiveError of {@link assertWithinLimits}; a little later for cleanup. */
  signalFor(isCleanup: boolean): AbortSignal | undefined
}

/** @param endsAt milliseconds since the epoch. */
export function createRunLimits(limits: Limits, endsAt: number | null): RunLimits {
  const reason = `the run took longer than ${limits.runMs} ms (limits.runMs) and sends no more requests`
  const work = abortedAt(endsAt, reason)
  const cleanupSignal = abortedAt(endsAt === null ? null : endsAt + overtimeCleanupMs, reason)
  let bytes = 0

  return {
    countBytes(exchange) {
      bytes += bodyLength(exchange)
    },
    assertWithinLimits() {
      if (work?.aborted) throw new InconclusiveError(reason)
      if (bytes <= limits.runBytes) return
      throw new InconclusiveError(
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
    () => controller.abort(new InconclusiveError(reason)),
    Math.max(0, endsAt - Date.now()),
  ).unref()
  return controller.signal
}
