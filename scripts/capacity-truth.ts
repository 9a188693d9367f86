/**
 * Does the interval of a capacity search hold the truth? Searches of simulated targets whose capacity
 * is known. `npm run engines -- --queue` searches that of a real engine.
 *
 *   node scripts/capacity-truth.ts [--searches 200] [--requests 4000] [--only TEXT]
 */
import { medianOf } from '../contract/averages.ts'
import { type SearchEnd, searchCapacity } from '../harness/capacity/search.ts'
import { seededDraw } from '../reference-server/runtime/random.ts'
import { limitOf, type SimulatedTarget, targets, trueCapacity } from './capacity/targets.ts'
import { optionsOf } from './options.ts'

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

interface CoverageOptions {
  readonly searches: number
  /** Requests of one probe. */
  readonly requests: number
  /** Requests of the simulation that finds the truth if no formula gives it. */
  readonly knownBy: number
}

interface Coverage {
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

if (import.meta.main) {
  const values = optionsOf(import.meta, { searches: 200, requests: 4_000, only: '' })
  const chosen = targets.filter(({ name }) => name.includes(values.only))
  const searches = Math.ceil(values.searches / chosen.length)
  let [inside, all] = [0, 0]
  const widths: number[] = []
  for (const target of chosen) {
    const options = { searches, requests: values.requests, knownBy: 400_000 }
    const found = await coverageOf(target, options)
    inside += found.held
    all += searches
    widths.push(...found.widths)
    const endCounts = [...found.endCounts].map(([end, count]) => `${count} ${end}`).join(', ')
    console.log(
      `${String(found.held).padStart(3)} of ${searches} hold the truth (${found.truth.toFixed(2)}/s), width ${percent(medianOf(found.widths) ?? 0)}, ${medianOf(found.probes) ?? 0} probes (${endCounts})  ${target.name}`,
    )
  }
  console.log(
    `${inside} of ${all} intervals hold the truth, median width ${percent(medianOf(widths) ?? 0)}`,
  )
}
