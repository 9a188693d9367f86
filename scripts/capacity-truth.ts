/**
 * Does the interval of a capacity search contain the truth? Searches of simulated targets whose capacity
 * is known. `npm run engines -- --queue` searches that of a real engine.
 *
 *   node scripts/capacity-truth.ts [--searches 200] [--requests 4000] [--only TEXT]
 */
import { medianOf } from '../contract/averages.ts'
import { searchCapacity } from '../harness/capacity/search.ts'
import { seededDraw } from '../reference-server/runtime/random.ts'
import { percent } from '../reports/text/format.ts'
import { limitOf, type SimulatedTarget, targets, trueCapacity } from './capacity/targets.ts'
import { optionsOf } from './options.ts'

/**
 * Searches of a target, each with its interval's width as a share of the rate. A target that drifts has another truth for
 * each length of a search.
 * @param size requests of one probe, and of the simulation that finds the truth if no formula gives it
 */
export async function searchesOf(
  target: SimulatedTarget,
  size: { readonly searches: number; readonly requests: number; readonly knownBy: number },
) {
  const truths = new Map<number, number>()
  const found = []
  for (let search = 0; search < size.searches; search++) {
    const draw = seededDraw(search, target.name, 'search')
    let probes = 0
    const { end, interval, rate } = await searchCapacity(
      async (offered) => {
        const rate = target.step === undefined ? offered : Math.max(1, Math.round(offered))
        const over = target.run(rate, draw, probes, size.requests)
        probes += 1
        return { rate, limits: [limitOf(over, target.allowed)], atMs: probes, valid: true }
      },
      { precision: 0.05, maxProbes: 40, ...target },
    )
    const at = target.drifts === true ? probes - 1 : 0
    const truth = truths.get(at) ?? trueCapacity(target, at, size.knownBy)
    truths.set(at, truth)
    const [low, high] = interval ?? [Number.NaN, Number.NaN]
    const isHeld = low <= truth && truth <= high
    found.push({ end, probes, truth, isHeld, width: (high - low) / (rate ?? 1) })
  }
  return found
}

if (import.meta.main) {
  const { only, requests, ...values } = optionsOf(import.meta, {
    ...{ searches: 200, requests: 4_000, only: '' },
  })
  const chosen = targets.filter(({ name }) => name.includes(only))
  const size = { searches: Math.ceil(values.searches / chosen.length), requests, knownBy: 400_000 }
  const all: Awaited<ReturnType<typeof searchesOf>> = []
  for (const target of chosen) {
    const found = await searchesOf(target, size)
    all.push(...found)
    const byEnd = [...Map.groupBy(found, ({ end }) => end)]
    const counts = byEnd.map(([end, own]) => `${own.length} ${end}`).join(', ')
    const probes = medianOf(found.map((search) => search.probes)) ?? 0
    console.log(
      `${heldText(found)} hold the truth (${found[0]?.truth.toFixed(2)}/s), width ${widthText(found)}, ${probes} probes (${counts})  ${target.name}`,
    )
  }
  console.log(`${heldText(all)} intervals hold the truth, median width ${widthText(all)}`)
}

function heldText(found: readonly { readonly isHeld: boolean }[]): string {
  return `${String(found.filter(({ isHeld }) => isHeld).length).padStart(3)} of ${found.length}`
}

function widthText(found: readonly { readonly width: number }[]): string {
  return percent(medianOf(found.map(({ width }) => width)) ?? 0)
}
