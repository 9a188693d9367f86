import type { Exchange, SendTime } from '../../../contract/index.ts'
import type { TargetProfile } from '../profile/index.ts'
import { allowsBurst } from './limits/rate-limiter.ts'
import type { RequestSpec } from './requests/wire-request.ts'
import type { Session } from './session.ts'

/** Requests of a race: two suffice to show that one was processed between the steps of the other. */
export const racers = 2

interface WithRate {
  readonly limits: Pick<TargetProfile['limits'], 'requestsPerSecond'>
}

export type Racer<Result> = (options: Pick<RequestSpec, 'inBurst'>) => Promise<Result>

/** Tests if the limits of a profile allow the simultaneous requests of a race. */
export function mayRace({ limits }: WithRate): boolean {
  return allowsBurst(limits, racers)
}

/**
 * Sends requests at once: their slots of the rate limit are reserved beforehand, if the limit allows it, and
 * they leave back to back. Ends when all have ended, with the first error, if any.
 */
export async function sendAtOnce<Result>(
  session: Session,
  ...requests: readonly Racer<Result>[]
): Promise<readonly Result[]> {
  const inBurst = allowsBurst(session.context.setup.profile.limits, requests.length)
  if (inBurst) await session.waitForBurst(requests.length)
  const results = await Promise.allSettled(requests.map((send) => send({ inBurst })))
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}

/**
 * The reason why exchanges do not prove concurrency, as the end of a sentence; undefined if each request was
 * sent before the first response began.
 */
export function findGap(exchanges: readonly Exchange[], { limits }: WithRate): string | undefined {
  const times = exchanges.flatMap(({ sent, response, ending }) =>
    sent ? [[sent.clockMs, toClock(sent, response?.headersAtMs ?? ending.atMs)] as const] : [],
  )
  if (times.length < exchanges.length) return 'the time at which a request was sent is unknown'
  const lastSentMs = Math.max(...times.map(([sentMs]) => sentMs))
  const firstAnswerMs = Math.min(...times.map(([, answeredMs]) => answeredMs))
  if (lastSentMs <= firstAnswerMs) return undefined
  const lateMs = Math.max(1, Math.round(lastSentMs - firstAnswerMs))
  const gap = `the last request was sent ${lateMs} ms after the first response began`
  if (!allowsBurst(limits, exchanges.length)) {
    return `${gap}: limits.requestsPerSecond: ${limits.requestsPerSecond} does not allow ${exchanges.length} requests at once`
  }
  const again = exchanges.some(({ labels }) => labels.attempt > 0)
  return again ? `${gap}: a request was refused or failed at first, and was sent again` : gap
}

/** Tests if each of two requests was sent before the response to the other one ended. */
export function areConcurrent(one: Exchange, other: Exchange): boolean {
  if (one.sent === undefined || other.sent === undefined) return false
  return (
    one.sent.clockMs < toClock(other.sent, other.ending.atMs) &&
    other.sent.clockMs < toClock(one.sent, one.ending.atMs)
  )
}

function toClock({ atMs, clockMs }: SendTime, ms: number): number {
  return clockMs + ms - atMs
}
