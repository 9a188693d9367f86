/** Searches of one simulated target, against its true capacity. */
import { type SearchEnd, searchCapacity } from '../../harness/capacity/search.ts'
import { seededDraw } from '../../reference-server/runtime/random.ts'
import { limitOf, type SimulatedTarget, trueCapacity } from './targets.ts'

export interface CoverageOptions {
  readonly searches: number
  /** Requests of one probe. */
  readonly requests: number
  /** Requests of the simulation that finds the truth if no formula gives it. */
  readonly knownBy: number
}

export interface Coverage {
  /** Searches whose interval holds the truth. */
  readonly held: number
  /** Widths of the intervals, as shares of the rate. */
  readonly widths: readonly number[]
  readonly probes: readonly number[]
  readonly endCounts: ReadonlyMap<SearchEnd, number>
  /** True capacity for the first search; a target that drifts has another for each length of a search. */
  readonly truth: number
}

export async function coverageOf(
  target: SimulatedTarget,
  { searches, requests, knownBy }: CoverageOptions,
): Promise<Coverage> {
  const truths = new Map<number, number>()
  const truthAt = (probe: number) => {
    const truth = truths.get(probe) ?? trueCapacity(target, probe, knownBy)
    truths.set(probe, truth)
    return truth
  }
  let held = 0
  const widths: number[] = []
  const counts: number[] = []
  const endCounts = new Map<SearchEnd, number>()
  for (let search = 0; search < searches; search++) {
    const draw = seededDraw(search, target.name, 'search')
    let probes = 0
    const { end, interval, rate } = await searchCapacity(
      async (offered) => {
        const rate = target.step === undefined ? offered : Math.max(1, Math.round(offered))
        const over = target.run(rate, draw, probes, requests)
        probes += 1
        return { rate, limits: [limitOf(over, target.allowed)], atMs: probes, valid: true }
      },
      { precision: 0.05, maxProbes: 40, ...target },
    )
    endCounts.set(end, (endCounts.get(end) ?? 0) + 1)
    const truth = truthAt(target.drifts === true ? probes - 1 : 0)
    const [low, high] = interval ?? [Number.NaN, Number.NaN]
    if (low <= truth && truth <= high) held += 1
    widths.push((high - low) / (rate ?? 1))
    counts.push(probes)
  }
  return {
    held,
    widths,
    probes: counts,
    endCounts: endCounts,
    truth: [...truths.values()][0] ?? Number.NaN,
  }
}
