/** The highest rate that a target sustains within its SLOs: a search over `probe(rate)`. */
import { estimateOf, type SloEstimate } from './estimate.ts'
import { type Probe, verdictOf } from './probe.ts'

export interface SearchOptions {
  /** Requests a second. */
  readonly min: number
  readonly max: number
  /** Half width of the interval that ends the search, as a share of the rate. */
  readonly precision: number
  readonly maxProbes: number
  readonly signal?: AbortSignal
}

export type SearchEnd =
  | 'precise'
  /** `maxProbes`, or the signal, came first: the interval is as wide as it is. */
  | 'budget'
  | 'interrupted'
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
  /** At 95 %. */
  readonly interval: readonly [low: number, high: number] | null
  /** The SLO that limits it. */
  readonly limitedBy: string | null
  /** The share over the limit jumps within the interval. */
  readonly isCliff: boolean
  /** Two verdicts are all that is known of it. */
  readonly isBracket: boolean
  readonly highestMet: number | null
  readonly lowestMissed: number | null
  readonly probes: readonly Probe[]
}

export type RunProbe = (rate: number) => Promise<Probe>

/** Doubles the rate from `min` until an SLO is missed, then narrows the bracket and repeats near it. */
export async function searchCapacity(run: RunProbe, options: SearchOptions): Promise<Capacity> {
  const probes: Probe[] = []
  const { min, max, maxProbes, signal } = options
  let rate = min
  while (probes.length < maxProbes && signal?.aborted !== true) {
    const probe = await run(rate)
    probes.push(probe)
    const valid = probes.filter((each) => each.valid)
    if (!probe.valid && rate === Math.max(...probes.map((each) => each.rate))) {
      const below = valid.filter((each) => each.rate < rate)
      if (below.every((each) => verdictOf(each) === 'met')) return answer('generator', probes)
    }
    const { highestMet, lowestMissed, interval, rate: found, isBracket } = answer('budget', probes)
    if (lowestMissed === null) {
      if (rate >= max && highestMet === max) return answer('above max', probes)
      rate = Math.min(max, rate * (verdictOf(probe) === 'met' ? 2 : 1.15))
    } else if (highestMet === null) {
      if (lowestMissed <= min) return answer('below min', probes)
      rate = min
    } else if (!isBracket && isPrecise(interval, found, options.precision)) {
      return answer('precise', probes)
    } else {
      const isTight = lowestMissed / highestMet <= 1 + options.precision
      rate =
        isBracket && !isTight && lowestMissed / highestMet > wide
          ? Math.sqrt(highestMet * lowestMissed)
          : (found ?? highestMet) * (1 + (offsets[probes.length % offsets.length] ?? 0))
    }
  }
  return answer(signal?.aborted === true ? 'interrupted' : 'budget', probes)
}

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
  const met = estimates.map((estimate) => estimate.met)
  const missed = estimates.flatMap((estimate) => estimate.missed ?? [])
  return {
    end,
    rate: limiting?.rate ?? null,
    interval: limiting?.interval ?? null,
    limitedBy: limiting?.slo ?? null,
    isCliff: limiting?.by === 'cliff',
    isBracket: limiting?.by === 'bracket',
    highestMet: met.includes(null) ? null : Math.min(...met.filter((rate) => rate !== null)),
    lowestMissed: missed.length === 0 ? null : Math.min(...missed),
    probes,
  }
}
