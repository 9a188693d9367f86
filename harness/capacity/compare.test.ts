import { expect, test } from 'vitest'
import type { CapacityReport } from '../../contract/report/capacity/report.ts'
import { loadReportOf } from '../../reports/load/test-support/sketch.ts'
import { compareCapacities } from './compare.ts'

test.each([
  ['the same interval is no change', 100, [98, 102], 100, [98, 102], 'no regression'],
  ['a tenth less is a regression', 100, [99, 101], 90, [89, 91], 'regression'],
  ['a tenth more is an improvement', 100, [99, 101], 110, [109, 111], 'no regression'],
  ['wide intervals decide nothing', 100, [85, 115], 90, [75, 105], 'undecided'],
  ['a search without an answer decides nothing', 100, [99, 101], null, null, 'undecided'],
] as const)('%s', (_, rateA, intervalA, rateB, intervalB, outcome) => {
  const [a, b] = [reportOf(rateA, intervalA), reportOf(rateB, intervalB)]
  expect(compareCapacities(a, b, 0.05).outcome).toBe(outcome)
})

test('searches for other SLOs have no verdict, and an overloaded generator makes it invalid', () => {
  const [a, b] = [reportOf(100, [99, 101]), reportOf(50, [49, 51])]
  const other = { ...b, config: { ...b.config, slos: ['e2e.p95 < 9s'] } }
  const found = compareCapacities(a, other, 0.05)
  expect(found.outcome).toBe('undecided')
  expect(found.figures[0]?.message).toBe('the searches differ in SLOs')
  expect(compareCapacities(a, { ...b, outcome: 'invalid' }, 0.05).outcome).toBe('invalid')
})

function reportOf(rate: number | null, interval: readonly [number, number] | null): CapacityReport {
  const { suite, target, generator } = loadReportOf()
  return {
    kind: 'capacity-report',
    schemaVersion: 1,
    outcome: rate === null ? 'undecided' : 'found',
    ...{ suite, target, interrupted: false, seed: 's', loop: 'open' },
    startedAt: '2026-12-01T10:00:00.000Z',
    durationMs: 60_000,
    config: {
      ...{ slos: ['ttft.p95 < 1s'], min: 1, max: 1000, precision: 0.05, budgetMs: 6e5 },
      ...{ headroom: 0.7, probeMs: 1e4, arrival: 'poisson', workers: 1, timeoutMs: 6e4 },
      ...{ mixName: 'openai-stream', mix: [] },
    },
    result: {
      ...{ rate, interval: interval === null ? null : [interval[0], interval[1]] },
      ...{ confidence: 0.95, limitedBy: null, limit: null, firstFailing: null },
      ...{ highestMet: null, by: null, headroom: null, concurrency: null, tokensPerSecond: null },
    },
    ...{ probes: [], frontier: [], policyLimit: null, hysteresis: null, drift: null },
    generator: { ...generator, holds: null },
    ...{ notes: [], faults: [] },
  }
}
