/**
 * Does the interval of a capacity search hold the truth? Searches of simulated targets whose capacity
 * is known.
 *
 *   node scripts/capacity-truth.ts [--searches 200] [--requests 4000] [--only TEXT]
 */
import { parseArgs } from 'node:util'
import { searchCapacity } from '../harness/capacity/search.ts'
import { seededDraw } from '../reference-server/runtime/random.ts'
import { limitOf, targets, trueCapacity } from './capacity/targets.ts'

const { values } = parseArgs({
  options: {
    searches: { type: 'string', default: '200' },
    requests: { type: 'string', default: '4000' },
    only: { type: 'string', default: '' },
  },
})
const chosen = targets.filter(({ name }) => name.includes(values.only))
const each = Math.ceil(Number(values.searches) / chosen.length)
const requests = Number(values.requests)
let [inside, all] = [0, 0]
const widths: number[] = []

for (const target of chosen) {
  const truths = new Map<number, number>()
  const truthAt = (probe: number) => {
    const known = truths.get(probe) ?? trueCapacity(target, probe, 400_000)
    truths.set(probe, known)
    return known
  }
  let held = 0
  const own: number[] = []
  const counts: number[] = []
  const ends = new Map<string, number>()
  for (let search = 0; search < each; search++) {
    const draw = seededDraw(search, target.name, 'search')
    let probes = 0
    const found = await searchCapacity(
      async (rate) => {
        const over = target.run(rate, draw, probes, requests)
        probes += 1
        return { rate, limits: [limitOf(over, target.allowed)], atMs: probes, valid: true }
      },
      { min: target.min, max: target.max, precision: 0.05, maxProbes: 40 },
    )
    ends.set(found.end, (ends.get(found.end) ?? 0) + 1)
    const truth = truthAt(target.drifts === true ? probes - 1 : 0)
    const [low, high] = found.interval ?? [Number.NaN, Number.NaN]
    if (low <= truth && truth <= high) held += 1
    own.push((high - low) / (found.rate ?? 1))
    counts.push(probes)
  }
  inside += held
  all += each
  widths.push(...own)
  const how = [...ends].map(([end, count]) => `${count} ${end}`).join(', ')
  const truth = truthAt([...truths.keys()][0] ?? 0)
  console.log(
    `${String(held).padStart(3)} of ${each} hold the truth (${truth.toFixed(2)}/s), width ${percent(median(own))}, ${median(counts)} probes (${how})  ${target.name}`,
  )
}
console.log(`${inside} of ${all} intervals hold the truth, median width ${percent(median(widths))}`)

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
