/** Estimate for one SLO from the probes so far: the highest rate that meets it, with its interval. */
import { medianOf } from '../../contract/averages.ts'
import { isotonic, type RateCount } from '../../reports/capacity/model/probe.ts'
import { decideShare } from '../load/statistics/shares.ts'
import { type Crossing, crossingOf, type DosePoint } from './logistic.ts'
import type { LimitCount, Probe } from './probe.ts'

export interface SloEstimate {
  readonly slo: string
  /** Highest rate up to which the SLO is met; null if none is known. */
  readonly met: number | null
  /** Lowest rate above it at which the SLO is missed; null if none is known. */
  readonly missed: number | null
  /** Requests per second; null while the bracket is open. */
  readonly rate: number | null
  /** Confidence interval at 95 %. */
  readonly interval: readonly [low: number, high: number] | null
  /** Basis: a line through the nearby probes, a jump of the share between two rates, or only two verdicts. */
  readonly by: 'fit' | 'cliff' | 'bracket' | null
  /** Change of the logarithm of the rate for each millisecond, and its distance from 0 in standard errors. */
  readonly drift: { readonly perMs: number; readonly z: number } | null
}

/** A limit of a probe, with its rate and time. */
interface ProbedLimit extends LimitCount {
  readonly rate: number
  readonly at: number
}

/** Rates within this factor of the crossing are fitted: further away, the log odds are not linear. */
const window = 1.15
/** Minimum probes near the crossing; fewer say nothing about the scatter. */
const minLocal = 9

export function estimateOf(slo: string, probes: readonly Probe[]): SloEstimate {
  const limits = probes.flatMap(({ rate, atMs, limits: all }) =>
    all.filter((limit) => limit.slo === slo).map((limit) => ({ ...limit, rate, at: atMs })),
  )
  const allowed = limits[0]?.allowed ?? 0
  // One weight for all: a probe in a slow hour has a longer autocorrelation and must not count less.
  const independent = pooledIndependence(limits)
  const counts = limits.map((limit) => effective(limit, independent))
  const own = limits.map((limit) => effective(limit, limit.independent))
  const { met, missed } = bracketOf(own, allowed)
  const open: SloEstimate = { slo, met, missed, rate: null, interval: null, by: null, drift: null }
  if (met === null || missed === null) return open
  const middle = Math.sqrt(met * missed)
  const interval = contradicting(limits, met, missed)
  const bracket: SloEstimate = { ...open, rate: middle, interval, by: 'bracket' }
  const local = within(counts, middle)
  if (local.length < minLocal) return bracket
  if (isJump(local, allowed, met, missed)) return { ...bracket, by: 'cliff' }
  const fitted = centred(counts, middle, allowed)
  if (fitted === null || fitted.interval === null) {
    // All that is known if probes scatter more than the rate explains.
    const rates = local.map(({ rate }) => rate)
    return { ...bracket, interval: [Math.min(...rates), Math.max(...rates)] }
  }
  const drift = fitted.drift === null ? null : { perMs: fitted.drift.perUnit, z: fitted.drift.z }
  return { ...open, rate: fitted.rate, interval: fitted.interval, by: 'fit', drift }
}

/** The bracket, widened to the probes that contradict it: even too few requests for a verdict are evidence. */
function contradicting(
  limits: readonly ProbedLimit[],
  met: number,
  missed: number,
): readonly [low: number, high: number] {
  const isOver = ({ over, requests, allowed }: LimitCount) => over > allowed * requests
  const ratesOf = (some: readonly { readonly rate: number }[]) => some.map(({ rate }) => rate)
  return [
    Math.min(met, ...ratesOf(limits.filter(isOver))),
    Math.max(missed, ...ratesOf(limits.filter((limit) => !isOver(limit)))),
  ]
}

/** Maximum moves of the window to the fitted crossing, which is rarely midway between the two verdicts. */
const moves = 4

function centred(counts: readonly DosePoint[], middle: number, allowed: number): Crossing | null {
  let fitted = crossingOf(within(counts, middle), allowed)
  for (let move = 0; move < moves && fitted !== null; move++) {
    const local = within(counts, fitted.rate, fitted.fittedDrift)
    if (local.length < minLocal) break
    fitted = crossingOf(local, allowed)
  }
  return fitted
}

/** Points near the crossing as it was at their time. */
function within(counts: readonly DosePoint[], middle: number, drift = 0): readonly DosePoint[] {
  const now = Math.max(...counts.map(({ at = 0 }) => at))
  const limit = Math.log(window)
  return counts.filter(({ rate, at = 0 }) => {
    return Math.abs(Math.log(rate / middle) - drift * (at - now)) <= limit
  })
}

function effective({ rate, at, requests, over }: ProbedLimit, independent: number): DosePoint {
  return { rate, at, count: requests * independent, over: over * independent }
}

/** Shares within this factor of the allowed one show the autocorrelation at the limit. */
const near = 4
const minNear = 3

/**
 * Ratio of the variance of independent requests to that of the batches, both summed over the probes near the
 * limit: with hardly a request over it, or in a growing overload, batches would distort it.
 */
function pooledIndependence(limits: readonly LimitCount[]): number {
  const shareOf = ({ over, requests }: LimitCount) => (requests === 0 ? 0 : over / requests)
  const local = limits.filter((limit) => {
    const share = shareOf(limit)
    return share >= limit.allowed / near && share <= limit.allowed * near
  })
  if (local.length < minNear) return medianOf(limits.map(({ independent }) => independent)) ?? 1
  let [single, batches] = [0, 0]
  for (const limit of local) {
    const variance = shareOf(limit) * (1 - shareOf(limit))
    single += variance
    batches += variance / limit.independent
  }
  return batches === 0 ? 1 : single / batches
}

/** Multiple of the allowed odds above a jump; no line fits a jump with nothing in between. */
const far = 5
/** Rates this close to a jump show whether it repeats or one queue was long by chance. */
const close = 1.05
const minClose = 3

function isJump(
  counts: readonly RateCount[],
  allowed: number,
  met: number,
  missed: number,
): boolean {
  const times = ({ count, over }: RateCount) =>
    (over + 0.5) / (count - over + 0.5) / (allowed / (1 - allowed))
  const below = counts.filter(({ rate }) => rate <= met)
  const above = counts.filter(({ rate }) => rate >= missed)
  return (
    below.length + above.length === counts.length &&
    below.filter(({ rate }) => rate >= met / close).length >= minClose &&
    above.filter(({ rate }) => rate <= missed * close).length >= minClose &&
    below.every((count) => times(count) < 1) &&
    above.every((count) => times(count) > far)
  )
}

function bracketOf(counts: readonly RateCount[], allowed: number) {
  const pools = isotonic(counts)
  // The share grows with the rate: requests at a higher rate are evidence that a lower one is met, and requests
  // at a lower rate that a higher one is missed.
  const verdictFrom = (from: number, to: number) => {
    const some = pools.slice(from, to + 1)
    const count = some.reduce((sum, pool) => sum + pool.count, 0)
    const over = some.reduce((sum, pool) => sum + pool.over, 0)
    return decideShare(Math.floor(count), Math.ceil(over), allowed).verdict
  }
  const met = pools.findLast((_, at) =>
    pools.some((_, to) => to >= at && verdictFrom(at, to) === 'met'),
  )
  const above = pools.findIndex(({ low }) => low > (met?.high ?? 0))
  const missed = pools.find((_, at) =>
    pools.some(
      (_, from) => above >= 0 && from >= above && from <= at && verdictFrom(from, at) === 'missed',
    ),
  )
  return { met: met?.high ?? null, missed: missed?.low ?? null }
}
