/** Rate limits: the maximum number of requests a minute for each caller (section 8). */
import { ApiError } from './errors.ts'

/** State of a caller's limit after a request. */
export interface Standing {
  /** Headers for every answer. */
  readonly headers: Readonly<Record<string, string>>
  readonly refusal?: ApiError
}

/** @param now Unix milliseconds */
export type RateLimit = (caller: string, now: number) => Standing

export const withoutLimit: RateLimit = () => ({ headers: {} })

interface Bucket {
  readonly tokens: number
  readonly at: number
}

/** A token bucket, initially full and refilled evenly. */
export function requestsPerMinute(limit: number): RateLimit {
  const buckets = new Map<string, Bucket>()
  const perMs = limit / 60_000
  return (caller, now) => {
    const { tokens, at } = buckets.get(caller) ?? { tokens: limit, at: now }
    const filled = Math.min(limit, tokens + (now - at) * perMs)
    const allowed = filled >= 1
    const left = allowed ? filled - 1 : filled
    buckets.set(caller, { tokens: left, at: now })
    const headers = {
      'x-ratelimit-limit-requests': String(limit),
      'x-ratelimit-remaining-requests': String(Math.floor(left)),
      'x-ratelimit-reset-requests': `${Math.ceil((limit - left) / perMs)}ms`,
    }
    return allowed
      ? { headers }
      : { headers, refusal: tooMany(Math.ceil((1 - left) / perMs / 1000), limit) }
  }
}

function tooMany(seconds: number, limit: number): ApiError {
  return new ApiError(429, `At most ${limit} requests a minute; try again in ${seconds}s`, {
    code: 'rate_limit_exceeded',
    headers: { 'retry-after': String(seconds) },
  })
}
