/**
 * Does the interval of a capacity search hold the truth? Searches of simulated targets whose capacity
 * is known. `npm run engines -- --queue` searches that of a real engine.
 *
 *   node scripts/capacity-truth.ts [--searches 200] [--requests 4000] [--only TEXT]
 */
import { parseArgs } from 'node:util'
import { medianOf } from '../contract/averages.ts'
import { coverageOf } from './capacity/coverage.ts'
import { targets } from './capacity/targets.ts'

const { values } = parseArgs({
  options: {
    searches: { type: 'string', default: '200' },
    requests: { type: 'string', default: '4000' },
    only: { type: 'string', default: '' },
  },
})
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

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
