/**
 * Does the interval of a capacity search hold the truth? Searches of simulated targets whose capacity
 * is known; with --real, searches by `chatgen capacity` against `chatgen serve --engine`.
 *
 *   node scripts/capacity-truth.ts [--searches 200] [--requests 4000] [--only TEXT]
 *   node scripts/capacity-truth.ts --real 20 [--first SEED]
 */
import { parseArgs } from 'node:util'
import { medianOf } from '../contract/averages.ts'
import { coverageOf } from './capacity/coverage.ts'
import { realSearch, realTruth } from './capacity/real-searches.ts'
import { targets } from './capacity/targets.ts'

const { values } = parseArgs({
  options: {
    searches: { type: 'string', default: '200' },
    requests: { type: 'string', default: '4000' },
    only: { type: 'string', default: '' },
    real: { type: 'string' },
    first: { type: 'string', default: '1' },
  },
})
if (values.real === undefined) await simulated()
else await real(Number(values.first), Number(values.real))

async function simulated(): Promise<void> {
  const chosen = targets.filter(({ name }) => name.includes(values.only))
  const searches = Math.ceil(Number(values.searches) / chosen.length)
  let [inside, all] = [0, 0]
  const widths: number[] = []
  for (const target of chosen) {
    const options = { searches, requests: Number(values.requests), knownBy: 400_000 }
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

async function real(first: number, searches: number): Promise<void> {
  const truth = realTruth()
  console.log(`the true capacity is ${truth.toFixed(2)}/s`)
  let [held, late] = [0, 0]
  const widths: number[] = []
  for (let seed = first; seed < first + searches; seed++) {
    const { outcome, rate, interval, probes, minutes } = await realSearch(seed)
    const cost = `${outcome}, ${probes} probes, ${minutes.toFixed(1)} min`
    if (interval === null) {
      late += 1
      console.log(`seed ${seed}: no interval; ${cost}`)
      continue
    }
    const [low, high] = interval
    const holds = low <= truth && truth <= high
    if (holds) held += 1
    widths.push((high - low) / (rate ?? Number.NaN))
    console.log(
      `seed ${seed}: ${rate?.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}] ${holds ? 'holds' : 'misses'} the truth; ${cost}`,
    )
  }
  console.log(
    `${held} of ${widths.length} intervals hold the truth, median width ${percent(medianOf(widths) ?? 0)}; ${late} searches without an interval`,
  )
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
