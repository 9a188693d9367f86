import { setTimeout as sleep } from 'node:timers/promises'
import { type Exchange, header } from '../../../../contract/index.ts'
import type { TargetProfile } from '../../profile/index.ts'
import { newRunState, type RunState, steadyNow } from '../run-state.ts'

const maxAttempts = 4
/** A service that is restarted is down for some seconds. */
const maxAttemptsWhileDown = 5
const firstWaitMs = 500

type Limits = Pick<TargetProfile['limits'], 'requestsPerSecond' | 'retryAfterMs'>

/** Paces the requests of a run: a rate from the profile, and pauses when the target requests them. */
export function createRateLimiter(
  { requestsPerSecond, retryAfterMs: maxMs }: Limits,
  state: RunState['pace'] = newRunState().pace,
) {
  const gapMs = requestsPerSecond === undefined ? 0 : 1000 / requestsPerSecond

  return {
    recordEnding(exchange: Exchange): void {
      if (!isDown(exchange)) state.lost.delete(new URL(exchange.request.url).origin)
    },
    /**
     * Resolves when the next `requests` may be sent at once; rejects once the signal is aborted. The signal
     * is created only if there is a wait. The slots of a burst are reserved before it: no second has more
     * requests than the rate allows, if it allows a whole burst.
     */
    async waitForSlots(requests: number, signalOfWait?: () => AbortSignal): Promise<void> {
      const now = steadyNow()
      const at = Math.max(now, state.nextSlotAt + (requests - 1) * gapMs)
      state.nextSlotAt = at + gapMs
      if (at > now) await sleep(at - now, undefined, signalOfWait ? { signal: signalOfWait() } : {})
    },
    /**
     * Milliseconds to wait before this request is tried again; null to give up. A target that requests a
     * longer wait than the profile allows gets no request before that time.
     */
    retryAfter(exchange: Exchange, attempt: number): number | null {
      const { origin } = new URL(exchange.request.url)
      const isWaitedFor = isDown(exchange)
      if (attempt + 1 >= (isWaitedFor ? maxAttemptsWhileDown : maxAttempts)) {
        if (isWaitedFor) state.lost.add(origin)
        return null
      }
      // One wait for each time that it is down.
      if (state.lost.has(origin)) return 0
      const askedMs = retryAfterMs(exchange)
      // After a wait that was too short, or without one that is asked for.
      const ownMs = Math.min(firstWaitMs * 2 ** attempt, maxMs)
      const waitMs = attempt === 0 ? (askedMs ?? ownMs) : Math.max(askedMs ?? 0, ownMs)
      if (waitMs > maxMs) return null
      // A conflict is that of one chat.
      if (exchange.response?.status !== 409)
        state.nextSlotAt = Math.max(state.nextSlotAt, steadyNow() + waitMs)
      return waitMs
    },
  }
}

/** Tests if a rate allows this number of requests at once: it must allow them within a second. */
export function allowsBurst(
  { requestsPerSecond }: Pick<Limits, 'requestsPerSecond'>,
  requests: number,
): boolean {
  return requestsPerSecond === undefined || requests <= requestsPerSecond
}

/** Tests if nobody listens at the address of the target: nothing was sent. */
export function isDown({ ending }: Exchange): boolean {
  return ending.kind === 'unreachable' && ending.code === 'ECONNREFUSED'
}

/** Reason for giving up a request after a response that asks to wait, for a sentence about the target. */
export function giveUpReason(exchange: Exchange, { retryAfterMs: maxMs }: Limits): string {
  const status = exchange.response?.status
  if (status === undefined) return `refused ${maxAttemptsWhileDown} connections in a row`
  const askedMs = retryAfterMs(exchange)
  if (askedMs === undefined || askedMs <= maxMs) return `kept answering ${status}`
  const value = header(exchange.response?.headers ?? [], 'retry-after') ?? ''
  const excerpt = value.length > 40 ? `${value.slice(0, 40)}…` : value
  return `answered ${status} with Retry-After: ${excerpt}, longer than the maximum of ${maxMs} ms (limits.retryAfterMs)`
}

/**
 * `Retry-After` as seconds or as a date (RFC 9110, 10.2.3); undefined if it is neither. A date is
 * compared with the `Date` of the response and with the clock of this machine, for either clock may be
 * wrong, and a proxy may have a third one: the shorter of two waits counts.
 */
export function retryAfterMs(exchange: Exchange): number | undefined {
  const headers = exchange.response?.headers ?? []
  const value = header(headers, 'retry-after')?.trim()
  if (value === undefined || value === '') return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  // A date begins with the day of the week; the parser accepts almost anything else as a date too.
  const date = /^[A-Z][a-z]+,? /.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(date)) return undefined
  const waits = [Date.parse(header(headers, 'date') ?? ''), Date.now()].map((now) => date - now)
  return waits.filter((ms) => ms > 0).toSorted((a, b) => a - b)[0] ?? 0
}
