import { setTimeout as sleep } from 'node:timers/promises'
import { type Exchange, header } from '../../../../contract/index.ts'
import type { TargetProfile } from '../../profile/index.ts'

const maxAttempts = 4
const firstWaitMs = 500

type Limits = Pick<TargetProfile['limits'], 'requestsPerSecond' | 'retryAfterMs'>

/** Paces the requests of a run: a rate from the profile, and silence when the target asks for it. */
export function createRateLimiter({ requestsPerSecond, retryAfterMs: maxMs }: Limits) {
  const gapMs = requestsPerSecond === undefined ? 0 : 1000 / requestsPerSecond
  let nextSlotAt = 0

  return {
    /**
     * Resolves when the next request may be sent; rejects where the signal does not wait for it. The
     * signal is made only where there is a wait.
     */
    async waitForSlot(signalOfWait?: () => AbortSignal): Promise<void> {
      const now = Date.now()
      const at = Math.max(now, nextSlotAt)
      nextSlotAt = at + gapMs
      if (at > now) await sleep(at - now, undefined, signalOfWait ? { signal: signalOfWait() } : {})
    },
    /**
     * Milliseconds to wait before this request is tried again; null where it is given up. A target
     * that asks for longer than the profile allows is not asked again before its time.
     */
    retryAfter(exchange: Exchange, attempt: number): number | null {
      if (attempt + 1 >= maxAttempts) return null
      const waitMs = retryAfterMs(exchange) ?? Math.min(firstWaitMs * 2 ** attempt, maxMs)
      if (waitMs > maxMs) return null
      nextSlotAt = Math.max(nextSlotAt, Date.now() + waitMs)
      return waitMs
    },
  }
}

/** Reason why a request that was answered 429 or 503 is given up, for a sentence about the target. */
export function giveUpReason(exchange: Exchange, { retryAfterMs: maxMs }: Limits): string {
  const status = exchange.response?.status
  const askedMs = retryAfterMs(exchange)
  if (askedMs === undefined || askedMs <= maxMs) return `kept answering ${status}`
  const value = header(exchange.response?.headers ?? [], 'retry-after') ?? ''
  const excerpt = value.length > 40 ? `${value.slice(0, 40)}…` : value
  return `answered ${status} with Retry-After: ${excerpt}, longer than the maximum of ${maxMs} ms (limits.retryAfterMs)`
}

/** `Retry-After` as seconds or as a date (RFC 9110, 10.2.3); undefined where it is neither. */
export function retryAfterMs(exchange: Exchange): number | undefined {
  const value = header(exchange.response?.headers ?? [], 'retry-after')?.trim()
  if (value === undefined || value === '') return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  // A date begins with the day of the week; the parser makes one of almost anything else too.
  const date = /^[A-Z][a-z]+,? /.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}
