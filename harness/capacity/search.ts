/** The highest rate that a target sustains within its SLOs: a search over `probe(rate)`. */
import { estimateOf, type SloEstimate } from './estimate.ts'
import type { Probe } from './probe.ts'

export interface SearchOptions {
  /** Requests a second, or clients of a closed loop. */
  readonly min: number
  readonly max: number
  /** Half width of the interval that ends the search, as a share of the rate. */
  readonly precision: number
  readonly maxProbes: number
  /** False where there is no time for another probe; absent without such a limit. */
  readonly mayProbe?: () => boolean
  /** Smallest difference of two rates: 1 for clients. Two verdicts that far apart end the search. */
  readonly step?: number
  readonly signal?: AbortSignal
}

export type SearchEnd =
  | 'precise'
  /** `maxProbes`, `mayProbe` or the signal came first: the interval is as wide as it is. */
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
  /** Requests a second; null where the search found no bracket. */
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

export type RunProbe = (rate: number) => Promise<Probe>

/** Doubles the rate from `min` until an SLO is missed, then narrows the bracket and repeats near it. */
export async function searchCapacity(run: RunProbe, options: SearchOptions): Promise<Capacity> {
  const probes: Probe[] = []
  const { maxProbes, mayProbe = () => true } = options
  const isInterrupted = () => options.signal?.aborted === true
  let rate = options.min
  while (probes.length < maxProbes && !isInterrupted() && mayProbe()) {
    probes.push(await run(rate))
    if (isInterrupted()) break
    const next = nextStep(probes, rate, options)
    if (typeof next === 'string') return answer(next, probes)
    rate = next
  }
  return answer(isInterrupted() ? 'interrupted' : 'budget', probes)
}

/** The next rate, or the end of the search. */
function nextStep(
  probes: readonly Probe[],
  rate: number,
  { min, max, precision, step = 0 }: SearchOptions,
): number | SearchEnd {
  const last = probes.at(-1)
  if (last?.policy !== undefined) return 'policy'
  const { highestMet, lowestMissed, interval, rate: found, isBracket } = answer('budget', probes)
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
    return Math.max(min, promising(probes, lowestMissed) ?? lowestMissed / wide)
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
function isLeaningMet({ valid, limits }: Probe): boolean {
  return valid && limits.every(({ over, requests, allowed }) => over <= allowed * requests)
}

/** Probes on each side of two verdicts with no load between: a single one may be chance. */
const minAdjacent = 5

/** Probes at one rate that may stay undecided: it is then too near to the capacity. */
const maxUndecided = 3

/** Highest rate below the missed ones that may be met: more requests are to decide on it. */
function promising(probes: readonly Probe[], lowestMissed: number): number | null {
  const rates = probes.filter(isLeaningMet).map(({ rate }) => rate)
  const below = rates.filter((rate) => rate < lowestMissed)
  if (below.length === 0) return null
  const open = below.filter((rate) => below.filter((other) => other === rate).length < maxUndecided)
  return open.length === 0 ? Math.min(...below) / wide : Math.max(...open)
}

/** Probes in which a generator is late before it counts as the bottleneck: a busy machine is late for a while. */
const maxLate = 3
/** The same where other programs made it late: a lower rate would not help, waiting may. */
const maxDisturbed = 12

/** Lowest rate from which on the generator was always the bottleneck. */
export function generatorCeiling(probes: readonly Probe[]): number | null {
  const highestValid = Math.max(0, ...probes.flatMap(({ valid, rate }) => (valid ? rate : [])))
  const late = probes.filter(({ valid, rate }) => !valid && rate > highestValid)
  const ratesOf = (some: readonly Probe[]) => some.map(({ rate }) => rate).toSorted((a, b) => a - b)
  const undisturbed = late.filter(({ isDisturbed }) => isDisturbed !== true)
  return ratesOf(undisturbed)[maxLate - 1] ?? ratesOf(late)[maxDisturbed - 1] ?? null
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

function answer(end: SearchEnd, probes: readonly Probe[]): Capacity {
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
