/** Rate limits, as opposed to saturation: the token bucket that explains the 429 answers of a probe. */
import { medianOf } from '../../contract/averages.ts'
import type { CapacityReport } from '../../reports/capacity/model/report.ts'
import { drawsOf } from '../load/plan/random.ts'
import { bisect } from '../load/statistics/shares.ts'

/** One request that the target answered, or refused with 429. */
export interface Admission {
  /** Milliseconds after the start of the probe; ascending. */
  readonly atMs: number
  readonly accepted: boolean
  /** Requests in flight when it was sent. */
  readonly inFlight: number
  /** Time to the first token, or to the end if nothing was streamed. */
  readonly latencyMs: number | null
}

interface BoundedValue {
  readonly value: number
  readonly interval: [low: number, high: number]
}

export interface TokenBucket
  extends Pick<NonNullable<CapacityReport['policyLimit']>, 'accepted' | 'refused'> {
  /** Requests that are accepted in a burst, and per second in the long run. */
  readonly burst: BoundedValue
  readonly refill: BoundedValue
}

/** Minimum number of refusals to fit a line. */
const minRefused = 20
/** Maximum half-width of a useful refill, as a share. */
const maxHalfWidth = 0.1
/** Latency of a saturated target: over this multiple of the unloaded latency plus the slack. */
const maxSlowdown = 2
const slackMs = 25
/** Share of refusals at nearly the same number in flight that shows a concurrency limit. */
const concurrencyShare = 0.9

/**
 * The rate limit behind the refusals, or null if they come from saturation: then accepted requests wait, or
 * refusals begin at a fixed number of requests in flight.
 * @param unloadedMs latency of an idle target; null if it is not known
 */
export function policyLimitOf(
  admissions: readonly Admission[],
  unloadedMs: number | null,
): TokenBucket | null {
  const bucket = fitTokenBucket(admissions)
  if (bucket === null || isSlow(admissions, unloadedMs)) return null
  return isConcurrencyLimit(admissions) ? null : bucket
}

/**
 * Fits a bucket to the refusals. At each of them it holds less than one token, so the number of requests
 * accepted so far is linear in time, within one request; the slope is the refill. The burst is the largest
 * excess over the refill in any period. A bucket of a few tokens overflows between refusals and accepts less
 * than its refill; the fit finds that lower rate. A limit by fixed windows scatters about the line by the
 * size of a window and has a wider interval.
 */
export function fitTokenBucket(admissions: readonly Admission[]): TokenBucket | null {
  let accepted = 0
  const refusals: { readonly atMs: number; readonly accepted: number }[] = []
  for (const admission of admissions) {
    if (admission.accepted) accepted += 1
    else refusals.push({ atMs: admission.atMs, accepted })
  }
  const [first, last] = [refusals[0], refusals.at(-1)]
  if (refusals.length < minRefused || first === undefined || last === undefined) return null
  const spanMs = last.atMs - first.atMs
  const perMs = (last.accepted - first.accepted) / spanMs
  if (!(perMs > 0)) return null
  const residuals = refusals.map((refusal) => refusal.accepted - perMs * refusal.atMs)
  const spread = Math.max(...residuals) - Math.min(...residuals) + 1
  const half = spread / spanMs
  if (half > maxHalfWidth * perMs) return null
  return {
    refill: {
      value: 1000 * perMs,
      interval: [1000 * (perMs - half), 1000 * (perMs + half)],
    },
    burst: burstOf(admissions, perMs, spread),
    accepted,
    refused: refusals.length,
  }
}

function burstOf(admissions: readonly Admission[], perMs: number, spread: number): BoundedValue {
  let excess = 0
  let max = 0
  let sinceMs = admissions[0]?.atMs ?? 0
  let spanMs = 0
  let before = sinceMs
  for (const { atMs, accepted } of admissions) {
    excess -= perMs * (atMs - before)
    before = atMs
    if (excess < 0) {
      excess = 0
      sinceMs = atMs
    }
    if (accepted) excess += 1
    if (excess > max) {
      max = excess
      spanMs = atMs - sinceMs
    }
  }
  const drift = (spread / ((admissions.at(-1)?.atMs ?? 0) - (admissions[0]?.atMs ?? 0))) * spanMs
  return { value: max, interval: [Math.max(1, max - 1 - drift), max + 1 + drift] }
}

function isSlow(admissions: readonly Admission[], unloadedMs: number | null): boolean {
  const median = medianOf(
    admissions.flatMap(({ accepted, latencyMs }) => (accepted ? (latencyMs ?? []) : [])),
  )
  if (unloadedMs === null || median === null) return false
  return median > maxSlowdown * unloadedMs + slackMs
}

function isConcurrencyLimit(admissions: readonly Admission[]): boolean {
  const atRefusal = admissions.flatMap(({ accepted, inFlight }) => (accepted ? [] : inFlight))
  const max = Math.max(...admissions.map(({ inFlight }) => inFlight))
  const near = atRefusal.filter((inFlight) => inFlight >= 0.9 * max - 1)
  // Inconclusive with few in flight: any limit then refuses at each of their numbers.
  return max >= 4 && near.length >= concurrencyShare * atRefusal.length
}

/** Arrivals of the simulation; enough for a share of 1 % with a relative error of 3 %. */
const simulated = 200_000

/**
 * Highest Poisson rate at which a token bucket refuses at most a share in the long run, by bisection over a
 * simulation with fixed draws.
 * @param allowed share of refusals, 0 to 1
 */
export function rateWithinBucket(burst: number, refill: number, allowed: number): number {
  const holds = (rate: number) => refusedShare(burst, refill / rate) <= allowed
  return bisect(holds, 0, refill / (1 - allowed), 16)
}

/** @param tokens refilled in the mean time between two arrivals */
function refusedShare(burst: number, tokens: number): number {
  const draw = drawsOf(1, 0)
  let level = burst
  let refused = 0
  for (let arrival = 0; arrival < simulated; arrival++) {
    level = Math.min(burst, level - tokens * Math.log(1 - draw()))
    if (level < 1) refused += 1
    else level -= 1
  }
  return refused / simulated
}
