import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BottomKSample, type SampledRequest } from './bottom-k-sample.ts'

const sampled = (index: number): SampledRequest => ({
  ...{ index, step: 0, transaction: 'chat', plannedNs: index * 1e6 },
  ...{ ttftNs: null, e2eNs: null, good: true, failed: false, watched: [] },
})

function reservoirOf(indices: Iterable<number>): BottomKSample {
  const reservoir = new BottomKSample()
  for (const index of indices) reservoir.add(sampled(index))
  return reservoir
}

const indicesOf = (reservoir: BottomKSample) =>
  reservoir.blocks().map((run) => run.map(({ index }) => index))
const first = (count: number) => Array.from({ length: count }, (_, index) => index)

test('8,192 arrivals are all kept, in runs of 64 neighbours in the order of the plan', () => {
  const runs = indicesOf(reservoirOf(first(8192).reverse()))
  expect(runs.flat()).toEqual(first(8192))
  expect(runs.every((run) => run.length === 64)).toBe(true)
})

test('of more, 128 whole runs are kept from all over the plan', () => {
  const runs = indicesOf(reservoirOf(first(64 * 1000)))
  expect(runs).toHaveLength(128)
  for (const run of runs) expect(run).toEqual(first(64).map((offset) => (run[0] ?? 0) + offset))
  const inFirstHalf = runs.filter(([index = 0]) => index < 32_000).length
  // 64 expected, standard deviation 5.3.
  expect(inFirstHalf).toBeGreaterThan(42)
  expect(inFirstHalf).toBeLessThan(86)
})

test('the sample does not depend on workers or order', () => {
  const whole = JSON.stringify(indicesOf(reservoirOf(first(64 * 200))))
  const cuts = fc.record({
    workers: fc.integer({ min: 1, max: 5 }),
    stride: fc.constantFrom(1, 7, 77, 4111),
  })
  fc.assert(
    fc.property(cuts, ({ workers, stride }) => {
      const merged = new BottomKSample()
      for (let worker = 0; worker < workers; worker++) {
        // A stride that has no divisor in common with the length visits every index once.
        const own = first(64 * 200)
          .map((position) => (position * stride) % (64 * 200))
          .filter((index) => index % workers === worker)
        for (const one of reservoirOf(own).blocks().flat()) merged.add(one)
      }
      expect(JSON.stringify(indicesOf(merged)) === whole).toBe(true)
    }),
    { numRuns: 15 },
  )
})
