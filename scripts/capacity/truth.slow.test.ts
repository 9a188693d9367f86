import { expect, test } from 'vitest'
import { medianOf } from '../../contract/averages.ts'
import { searchesOf } from '../capacity-truth.ts'
import { targets } from './targets.ts'

/** Seeded simulations: the same figures on every machine. `scripts/capacity-truth.ts` runs 200 searches. */
test.each(
  targets
    .filter(({ name }) => !name.startsWith('continuous'))
    .map((target) => [target.name, target] as const),
)('search intervals contain the true capacity: %s', async (_, target) => {
  const found = await searchesOf(target, { searches: 20, requests: 4000, knownBy: 100_000 })
  expect(found.filter(({ isHeld }) => isHeld).length).toBeGreaterThanOrEqual(17)
  expect(medianOf(found.map(({ width }) => width))).toBeLessThan(0.25)
})
