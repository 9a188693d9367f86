/**
 * Does the interval of a capacity search hold the truth? Searches of simulated targets whose capacity
 * is known. `npm run engines -- --queue` searches that of a real engine.
 *
 *   node scripts/capacity-truth.ts [--searches 200] [--requests 4000] [--only TEXT]
 */
import { medianOf } from '../contract/averages.ts'
import { coverageOf } from './capacity/coverage.ts'
import { targets } from './capacity/targets.ts'
import { optionsOf } from './options.ts'

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

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
