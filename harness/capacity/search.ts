/** The highest rate that a target sustains within its SLOs: a search over `probe(rate)`. */
import { medianOf } from '../../contract/averages.ts'
import { isotonic } from '../../reports/capacity/model/probe.ts'
import { minRequests } from '../load/statistics/shares.ts'
import { estimateOf, type SloEstimate } from './estimate.ts'
import type { Probe } from './probe.ts'

export interface SearchOptions {
  /** Requests per second, or clients of a closed loop. */
  readonly min: number
  readonly max: number
  /** Half-width of the interval that ends the search, as a share of the rate; may depend on the rate so far. */
  readonly precision: number | ((rate: number) => number)
  readonly maxProbes: number
  /** Remaining time, in probes of the usual length; absent without a limit. */
  readonly probesLeft?: () => number
  /** Smallest difference between two rates: 1 for clients. Two verdicts this close end the search. */
  readonly step?: number
  readonly signal?: AbortSignal
  /** Filled with the probes of the search. */
  readonly probes?: Probe[]
}

/** Ends of a search, and what each means for the report. */
export const searchOutcomes = {
  precise: 'found',
  /** `maxProbes`, `probesLeft` or the signal ended the search before the interval was narrow. */
  budget: 'undecided',
  interrupted: 'undecided',
  /** A rate limit refuses requests before the target is saturated. */
  policy: 'found',
  /** Met at `max`: the capacity is at least that. */
  'above max': 'above max',
  /** Missed at `min`: the capacity is below. */
  'below min': 'below min',
  /** The load generator was the bottleneck before the target was. */
  generator: 'invalid',
} as const
type SearchEnd = keyof typeof searchOutcomes

export type Capacity = ReturnType<typeof answer>

/** @param effort length of the probe as a multiple of the usual one, at least 1 */
export type RunProbe = (rate: number, effort: number) => Promise<Probe>

interface Step {
  readonly rate: number
  readonly effort: number
}

/** Doubles the rate from `min` until an SLO is missed, then narrows the bracket and repeats near it. */
export async function searchCapacity(run: RunProbe, options: SearchOptions): Promise<Capacity> {
  const { maxProbes, probesLeft = () => Number.POSITIVE_INFINITY, probes = [] } = options
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

/** Minimum number of probes of that length in the whole budget: fewer show no scatter. */
const narrowingProbes = 8

/**
 * Length of the next probe. Before an SLO is missed, the usual one: doubling shows an overload with a few
 * requests. Then twice the number of requests that can decide it, if the budget holds enough such probes.
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
  const { highestMet, lowestMissed, interval, rate: found, by } = answer('budget', probes)
  const isBracket = by === 'bracket'
  const precision = typeof target === 'number' ? target : target(found ?? highestMet ?? rate)
  if (lowestMissed === null) {
    const ceiling = generatorCeiling(probes)
    if (ceiling !== null) return belowCeiling(ceiling, highestMet)
    // Repeat the rate: the machine may have been busy for a moment.
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
  // A rate that stays undecided is near the capacity: nearby rates show more than repeating it.
  if (isWide && probesAt(middle, probes, step) < maxUndecided) return middle
  return (found ?? highestMet) * (1 + (offsets[probes.length % offsets.length] ?? 0))
}

/** Number of probes at a rate, or so close to it that no rate lies in between. */
function probesAt(at: number, probes: readonly Probe[], step: number): number {
  const distance = Math.max(step / 2, at * sameRate)
  return probes.filter(({ valid, rate }) => valid && Math.abs(rate - at) <= distance).length
}

/** True if no share exceeds the allowed one, though requests may be too few for a verdict. */
function isLeaningMet({ valid, limits }: Pick<Probe, 'valid' | 'limits'>): boolean {
  return valid && limits.every(({ over, requests, allowed }) => over <= allowed * requests)
}

/** Minimum number of probes on each side of two adjacent verdicts: a single one may be chance. */
const minAdjacent = 5

/** Maximum number of undecided probes at one rate, which is then too close to the capacity. */
const maxUndecided = 3

/**
 * The next rate while none is certainly met: between the highest that is probably met and the lowest that is
 * not, until they are close; then the lower one again, and finally a lower one.
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

/** True if no share exceeds the allowed one in the monotone fit: requests at a higher rate support a lower one. */
function leansMet(probes: readonly Probe[], rate: number): boolean {
  const limits = probes.flatMap((probe) => probe.limits.map((limit) => ({ ...limit, ...probe })))
  return [...Map.groupBy(limits, ({ slo }) => slo).values()].every((own) => {
    const pools = isotonic(own.map(({ rate, requests, over }) => ({ rate, count: requests, over })))
    const pool = pools.find(({ low, high }) => low <= rate && rate <= high)
    return pool === undefined || pool.over <= (own[0]?.allowed ?? 0) * pool.count
  })
}

/** Late probes before the generator counts as the bottleneck: a busy machine is late for a while. */
const maxLate = 3
/** The same if other programs made it late: waiting may help, a lower rate would not. */
const maxDisturbed = 12

/** Lowest rate at and above which the generator was always the bottleneck. */
export function generatorCeiling(probes: readonly Probe[]): number | null {
  const highestValid = Math.max(0, ...probes.flatMap(({ valid, rate }) => (valid ? rate : [])))
  const late = probes.filter(({ valid, rate }) => !valid && rate > highestValid)
  const ratesOf = (some: readonly Probe[]) => some.map(({ rate }) => rate).toSorted((a, b) => a - b)
  const undisturbed = late.filter(({ isDisturbed }) => isDisturbed !== true)
  // If no probe was on time, nothing is known about any rate.
  const disturbed = highestValid > 0 ? ratesOf(late)[maxDisturbed - 1] : undefined
  return ratesOf(undisturbed)[maxLate - 1] ?? disturbed ?? null
}

/** Ratio at which the rate that the generator can sustain is known well enough. */
const ceilingWidth = 1.25

function belowCeiling(ceiling: number, highestMet: number | null): number | SearchEnd {
  if (highestMet === null || ceiling / highestMet <= ceilingWidth) return 'generator'
  return Math.sqrt(ceiling * highestMet)
}

/** Rates closer together than this share count as one. */
const sameRate = 0.001

/** Ratio above which a bracket is halved on the logarithmic scale; narrower ones are filled evenly. */
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

/** Result of a search that ends after these probes. */
export function answer(end: SearchEnd, probes: readonly Probe[]) {
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
    /** Requests per second; null if the search found no bracket. */
    rate: limiting?.rate ?? null,
    /** Confidence interval at 95 %. */
    interval: limiting?.interval ?? null,
    /** The SLO that limits the rate; without a rate, the one missed at the lowest rate. */
    limitedBy: limiting?.slo ?? firstMissed?.slo ?? null,
    by: limiting?.by ?? null,
    drift: limiting?.drift ?? null,
    highestMet: met.includes(null) ? null : Math.min(...met.filter((rate) => rate !== null)),
    lowestMissed: missed.length === 0 ? null : Math.min(...missed),
    probes,
  }
}
