/** The highest rate that a target sustains within its SLOs: a search over `probe(rate)`. */
import { medianOf } from '../../contract/averages.ts'
import { isotonic } from '../../contract/isotonic.ts'
import { minRequests } from '../load/statistics/shares.ts'
import { estimateOf, type SloEstimate } from './estimate.ts'
import type { Probe } from './probe.ts'

export interface SearchOptions {
  /** Requests a second, or clients of a closed loop. */
  readonly min: number
  readonly max: number
  /** Half width of the interval that ends the search, as a share of the rate; of the rate found so far. */
  readonly precision: number | ((rate: number) => number)
  readonly maxProbes: number
  /** Probes of the usual length that there is still time for; absent without such a limit. */
  readonly probesLeft?: () => number
  /** Smallest difference of two rates: 1 for clients. Two verdicts that far apart end the search. */
  readonly step?: number
  readonly signal?: AbortSignal
}

export type SearchEnd =
  | 'precise'
  /** `maxProbes`, `probesLeft` or the signal came first: the interval is as wide as it is. */
  | 'budget'
  | 'interrupted'
  /** A rate limit refuses requests before the target is saturated. */
  | 'policy'
  /** Met at `max`: the capacity is at least that. */
  | 'above max'
  /** Missed at `min`: the capacity is below. */
  | 'below min'
  /** The load generator was the bottleneck before the target was. */
  | 'generator'

export interface Capacity {
  readonly end: SearchEnd
  /** Requests a second; null if the search found no bracket. */
  readonly rate: number | null
  /** Confidence interval at 95 %. */
  readonly interval: readonly [low: number, high: number] | null
  /** The SLO that limits it; without a rate, the one that was missed at the lowest. */
  readonly limitedBy: string | null
  /** The share over the limit jumps within the interval. */
  readonly isCliff: boolean
  /** Two verdicts are all that is known of it. */
  readonly isBracket: boolean
  readonly drift: SloEstimate['drift']
  readonly highestMet: number | null
  readonly lowestMissed: number | null
  readonly probes: readonly Probe[]
}

/** @param effort length of the probe as a multiple of the usual one, at least 1 */
export type RunProbe = (rate: number, effort: number) => Promise<Probe>

interface Step {
  readonly rate: number
  readonly effort: number
}

/** Doubles the rate from `min` until an SLO is missed, then narrows the bracket and repeats near it. */
export async function searchCapacity(run: RunProbe, options: SearchOptions): Promise<Capacity> {
  const probes: Probe[] = []
  const { maxProbes, probesLeft = () => Number.POSITIVE_INFINITY } = options
  const total = probesLeft()
  const isInterrupted = () => options.signal?.aborted === true
  let step: Step = { rate: options.min, effort: 1 }
  while (probes.length < maxProbes && !isInterrupted() && probesLeft() >= 1) {
    const effort = Math.min(step.effort, probesLeft())
    probes.push({ ...(await run(step.rate, effort)), effort })
    if (isInterrupted()) break
    const next = nextRate(probes, step.rate, options)
    if (typeof next === 'string') return answer(next, probes)
    step = { rate: next, effort: effortOf(probes, next, total) }
  }
  return answer(isInterrupted() ? 'interrupted' : 'budget', probes)
}

/** Probes of that length that the whole budget should hold: fewer show no scatter. */
const narrowingProbes = 8

/**
 * Length of the next probe. While no SLO was missed, the usual one: doubling shows an overload with a few
 * requests. Then as many requests as could decide it twice over, if the budget holds enough such probes.
 *
 * @param total probes of the usual length in the whole budget
 */
function effortOf(probes: readonly Probe[], rate: number, total: number): number {
  if (answer('budget', probes).lowestMissed === null) return 1
  const each = probes.flatMap(({ valid, rate: own, effort = 1, limits }) =>
    valid ? limits.map(({ requests }) => requests / (own * effort)) : [],
  )
  const usual = rate * (medianOf(each) ?? 0)
  const needed = Math.max(
    ...probes.flatMap(({ limits }) => limits.map(({ allowed }) => 2 * minRequests(0, allowed))),
  )
  if (!(usual > 0)) return 1
  return Math.max(1, Math.min(needed / usual, total / narrowingProbes))
}

/** The next rate, or the end of the search. */
function nextRate(
  probes: readonly Probe[],
  rate: number,
  { min, max, precision: target, step = 0 }: SearchOptions,
): number | SearchEnd {
  const last = probes.at(-1)
  if (last?.policy !== undefined) return 'policy'
  const { highestMet, lowestMissed, interval, rate: found, isBracket } = answer('budget', probes)
  const precision = typeof target === 'number' ? target : target(found ?? highestMet ?? rate)
  if (lowestMissed === null) {
    const ceiling = generatorCeiling(probes)
    if (ceiling !== null) return belowCeiling(ceiling, highestMet)
    // A machine that was busy for a moment is asked once more.
    if (last?.valid === false) return rate
    if (rate >= max) return highestMet === max ? 'above max' : max
    return Math.min(max, rate * (last !== undefined && isLeaningMet(last) ? 2 : 1.15))
  }
  if (highestMet === null) {
    if (lowestMissed <= min) return 'below min'
    return Math.max(min, towardsMet(probes, lowestMissed))
  }
  if (isBracket && lowestMissed - highestMet <= step) {
    const sides = [highestMet, lowestMissed]
    return sides.find((side) => probesAt(side, probes, step) < minAdjacent) ?? 'precise'
  }
  if (!isBracket && isPrecise(interval, found, precision)) return 'precise'
  const isTight = lowestMissed / highestMet <= 1 + precision
  const middle = Math.sqrt(highestMet * lowestMissed)
  const isWide = isBracket && !isTight && lowestMissed / highestMet > wide
  // A rate that stays undecided is near the capacity: rates around it say more than it again.
  if (isWide && probesAt(middle, probes, step) < maxUndecided) return middle
  return (found ?? highestMet) * (1 + (offsets[probes.length % offsets.length] ?? 0))
}

/** Number of probes at a rate, or so near to it that there is no rate between. */
function probesAt(at: number, probes: readonly Probe[], step: number): number {
  const distance = Math.max(step / 2, at * sameRate)
  return probes.filter(({ valid, rate }) => valid && Math.abs(rate - at) <= distance).length
}

/** No share over what is allowed, though maybe of too few requests for a verdict. */
function isLeaningMet({ valid, limits }: Pick<Probe, 'valid' | 'limits'>): boolean {
  return valid && limits.every(({ over, requests, allowed }) => over <= allowed * requests)
}

/** Probes on each side of two verdicts with no load between: a single one may be chance. */
const minAdjacent = 5

/** Probes at one rate that may stay undecided: it is then too near to the capacity. */
const maxUndecided = 3

/**
 * The next rate while none is certain to be met: between the highest that leans to it and the lowest that
 * does not, until they are close; then the lower one again, and in the end a lower one.
 */
function towardsMet(probes: readonly Probe[], lowestMissed: number): number {
  const valid = probes.filter((probe) => probe.valid)
  const rates = [...new Set(valid.map(({ rate }) => rate))]
  const upper = Math.min(lowestMissed, ...rates.filter((rate) => !leansMet(valid, rate)))
  const below = rates.filter((rate) => rate < upper)
  const base = Math.max(...below)
  if (below.length === 0) return upper / wide
  if (upper / base > wide) return Math.sqrt(upper * base)
  const open = below.filter((rate) => probesAt(rate, valid, 0) < maxUndecided)
  return open.length === 0 ? Math.min(...below) / wide : Math.max(...open)
}

/** No share over what is allowed in the monotone fit: requests at a higher rate speak for a lower one, too. */
function leansMet(probes: readonly Probe[], rate: number): boolean {
  const limits = probes.flatMap((probe) => probe.limits.map((limit) => ({ ...limit, ...probe })))
  return [...Map.groupBy(limits, ({ slo }) => slo).values()].every((own) => {
    const pools = isotonic(own.map(({ rate, requests, over }) => ({ rate, count: requests, over })))
    const pool = pools.find(({ low, high }) => low <= rate && rate <= high)
    return pool === undefined || pool.over <= (own[0]?.allowed ?? 0) * pool.count
  })
}

/** Probes in which a generator is late before it counts as the bottleneck: a busy machine is late for a while. */
const maxLate = 3
/** The same if other programs made it late: a lower rate would not help, waiting may. */
const maxDisturbed = 12

/** Lowest rate from which on the generator was always the bottleneck. */
export function generatorCeiling(probes: readonly Probe[]): number | null {
  const highestValid = Math.max(0, ...probes.flatMap(({ valid, rate }) => (valid ? rate : [])))
  const late = probes.filter(({ valid, rate }) => !valid && rate > highestValid)
  const ratesOf = (some: readonly Probe[]) => some.map(({ rate }) => rate).toSorted((a, b) => a - b)
  const undisturbed = late.filter(({ isDisturbed }) => isDisturbed !== true)
  // A machine on which no probe was in time says nothing of any rate.
  const disturbed = highestValid > 0 ? ratesOf(late)[maxDisturbed - 1] : undefined
  return ratesOf(undisturbed)[maxLate - 1] ?? disturbed ?? null
}

/** Distance at which the rate that the generator can hold is known well enough. */
const ceilingWidth = 1.25

function belowCeiling(ceiling: number, highestMet: number | null): number | SearchEnd {
  if (highestMet === null || ceiling / highestMet <= ceilingWidth) return 'generator'
  return Math.sqrt(ceiling * highestMet)
}

/** Rates closer together than this share are one. */
const sameRate = 0.001

/** Brackets wider than this are halved, in the logarithm; narrower ones are filled evenly. */
const wide = 1.3
/** Rates around the estimate, as shares of it: far enough apart to show a slope. */
const offsets = [-0.05, 0.05, -0.025, 0.025, -0.08, 0.08, 0]

function isPrecise(
  interval: Capacity['interval'],
  rate: number | null,
  precision: number,
): boolean {
  if (interval === null || rate === null) return false
  return (interval[1] - interval[0]) / 2 <= precision * rate
}

/** Answer of a search that ends after these probes. */
export function answer(end: SearchEnd, probes: readonly Probe[]): Capacity {
  const valid = probes.filter((probe) => probe.valid)
  const slos = [...new Set(valid.flatMap(({ limits }) => limits.map(({ slo }) => slo)))]
  const estimates = slos.map((slo) => estimateOf(slo, valid))
  const limiting = estimates
    .filter((estimate): estimate is SloEstimate & { rate: number } => estimate.rate !== null)
    .toSorted((a, b) => a.rate - b.rate)[0]
  const firstMissed = estimates
    .filter(({ missed }) => missed !== null)
    .toSorted((a, b) => (a.missed ?? 0) - (b.missed ?? 0))[0]
  const met = estimates.map((estimate) => estimate.met)
  const missed = estimates.flatMap((estimate) => estimate.missed ?? [])
  return {
    end,
    rate: limiting?.rate ?? null,
    interval: limiting?.interval ?? null,
    limitedBy: limiting?.slo ?? firstMissed?.slo ?? null,
    isCliff: limiting?.by === 'cliff',
    isBracket: limiting?.by === 'bracket',
    drift: limiting?.drift ?? null,
    highestMet: met.includes(null) ? null : Math.min(...met.filter((rate) => rate !== null)),
    lowestMissed: missed.length === 0 ? null : Math.min(...missed),
    probes,
  }
}
