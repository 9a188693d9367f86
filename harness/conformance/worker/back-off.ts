import { setTimeout as sleep } from 'node:timers/promises'
import { type Exchange, header } from '../../contract/index.ts'

const mostAttempts = 4
const firstWaitMs = 500
const longestWaitMs = 30_000

/** Paces the requests of a run: a rate from the profile, and silence when the target asks for it. */
export function createBackOff(requestsPerSecond: number | undefined) {
  const gapMs = requestsPerSecond === undefined ? 0 : 1000 / requestsPerSecond
  let nextTurn = 0

  return {
    /** Resolves when the next request may be sent; rejects where the signal does not wait for it. */
    async turn(signal?: AbortSignal): Promise<void> {
      const now = Date.now()
      const at = Math.max(now, nextTurn)
      nextTurn = at + gapMs
      if (at > now) await sleep(at - now, undefined, signal ? { signal } : {})
    },
    /** Milliseconds to wait before this request is tried again; null where it is given up. */
    retryAfter(exchange: Exchange, attempt: number): number | null {
      if (attempt + 1 >= mostAttempts) return null
      const waitMs = Math.min(retryAfterMs(exchange) ?? firstWaitMs * 2 ** attempt, longestWaitMs)
      nextTurn = Math.max(nextTurn, Date.now() + waitMs)
      return waitMs
    },
  }
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
