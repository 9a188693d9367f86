import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { forAll } from '../../../contract/test-support/for-all.ts'
import { loadComparisonDocument } from '../../../reports/compare/loads.ts'
import { loadComparison } from '../../../reports/load/model/comparison.ts'
import type { LoadReport } from '../../../reports/load/model/report.ts'
import { InputError } from '../options.ts'
import { readTrace } from '../plan/arrival-times.ts'
import { arrivalRow } from '../report/build-report.ts'
import { designEffect } from '../statistics/steady-state.ts'
import { simulatedRun as runOf } from '../test-support/records.ts'
import { compareLoads } from './compare-loads.ts'
import { holm, pValue, type RatioEstimate } from './verdicts.ts'

vi.setConfig({ testTimeout: 60_000 })

const options = { figures: null, tolerance: 0.05 }

const between = (a: LoadReport, b: LoadReport) =>
  compareLoads({ name: 'a', report: a }, { name: 'b', report: b }, options)
/** Comparisons of this number of pairs; the second run of each is slower by the factor. */
const pairs = (number: number, first: number, factor: number) =>
  Array.from({ length: number }, (_, at) => 2 * (first + at)).map((seed) =>
    between(runOf(seed, 1), runOf(seed + 1, factor)),
  )

describe('comparisons of simulated runs with autocorrelated noise', () => {
  test('report at most one false change in 40 pairs of the same distribution', () => {
    const wrong = pairs(40, 0, 1).filter(({ figures }) =>
      figures.some(({ verdict }) => verdict === 'regression' || verdict === 'improvement'),
    )
    // A family-wise error of 5 % makes 5 of 40 or fewer (P = 0.95); within the tolerance it is far less.
    expect(wrong.length).toBeLessThanOrEqual(1)
  })

  test.each([
    ['detect a slowdown of 10 % as a regression in at least 19 of 20', 1.1, 'regression'],
    ['detect a speedup of 10 % as an improvement in at least 19 of 20', 1 / 1.1, 'improvement'],
  ])('%s', (_, factor, verdict) => {
    const found = pairs(20, 1000, factor).filter(({ figures }) =>
      figures.some((figure) => figure.verdict === verdict),
    )
    expect(found.length).toBeGreaterThanOrEqual(19)
  })

  test('cover the true ratio with the interval in more than 93 % of rows', () => {
    const rows = pairs(40, 2000, 1.04).flatMap(({ figures }) =>
      figures.filter(({ unit }) => unit === 'ms'),
    )
    const covered = rows.filter(({ low, high }) => (low ?? 0) <= 1.04 && 1.04 <= (high ?? 9))
    expect(covered.length / rows.length).toBeGreaterThan(0.93)
  })
})

describe('a comparison', () => {
  const [a, b] = [runOf(1, 1), runOf(2, 1)]

  test('of a run with itself finds no change in any latency', () => {
    const found = between(a, a)
    expect(found.figures.filter(({ unit }) => unit === 'ms')).toHaveLength(6)
    for (const { ratio, verdict } of found.figures) {
      expect(ratio).toBe(1)
      expect(['no change', 'undecided']).toContain(verdict)
    }
    expect(loadComparison.parse(JSON.parse(JSON.stringify(found)))).toEqual(found)
  })

  test.each([
    [{ kind: 'poisson', perSecond: 50 } as const, { kind: 'poisson', perSecond: 77 } as const],
    [traceOf('{"at":0}'), traceOf('{"at":0}\n{"at":1}')],
  ])('of runs with different loads is undecided', (one, other) => {
    const [ofA, ofB] = [one, other].map((arrival) => ({ ...b.plan, arrival }))
    const found = between({ ...a, plan: ofA ?? a.plan }, { ...b, plan: ofB ?? b.plan })
    expect(found.outcome).toBe('undecided')
    expect(new Set(found.figures.map(({ verdict }) => verdict))).toEqual(new Set(['undecided']))
    expect(found.figures[0]?.message).toBe('the runs differ in arrivals')
  })

  test('shows the outcome of each run', () => {
    const { facts = [] } = loadComparisonDocument(between(a, { ...b, outcome: 'violated' }))
    expect(facts[1]?.[1]).toMatch(/^violated, /)
  })

  test('is invalid if the generator of one run was the bottleneck', () => {
    const generator = { ...b.generator, verdict: 'invalid' as const }
    const found = between(a, { ...runOf(9, 2), generator })
    expect(found.outcome).toBe('invalid')
    expect(found.figures.every(({ verdict }) => verdict === 'undecided')).toBe(true)
  })

  test('is undecided if the error of a degraded generator explains the change', () => {
    const spread = { p50: 20, p99: 40, max: 50, count: 1000 }
    const slow = runOf(5, 1.15)
    const generator = { ...slow.generator, verdict: 'degraded' as const, timestampError: spread }
    const verdicts = (report: LoadReport) =>
      between(a, report)
        .figures.filter(({ name }) => name.startsWith('ttft'))
        .map(({ verdict }) => verdict)
    expect(verdicts(slow)).toContain('regression')
    expect(verdicts({ ...slow, generator })).toEqual(['undecided', 'undecided'])
  })

  test('is rejected if a report has no blocks, with the remedy', () => {
    const { blocks: _, ...old } = b
    expect(() => between(a, old)).toThrow(
      new InputError('b has no blocks to compare: run the load again'),
    )
  })

  test.each([0.2, 1])(
    'of closed loops detects a share of %d that fails, though faster',
    (failing) => {
      const arrival = { kind: 'closed', concurrency: 8 } as const
      const closed = (run: LoadReport) => ({ ...run, plan: { ...run.plan, arrival } })
      const { outcome, figures } = between(closed(a), closed(runOf(3, 0.5, failing)))
      expect(outcome).toBe('regression')
      const lower = figures
        .filter(({ verdict }) => verdict === 'regression')
        .map(({ name }) => name)
      expect(lower).toEqual(['success', 'rate', 'tokens'])
    },
  )
})

test("Holm's procedure rejects all that Bonferroni rejects, in ascending order of p", () => {
  forAll(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (ps) => {
    const rejected = holm(ps, 0.05)
    for (const [index, p] of ps.entries()) {
      if (p <= 0.05 / ps.length) expect(rejected[index]).toBe(true)
      if (p > 0.05) expect(rejected[index]).toBe(false)
      if (rejected[index]) {
        for (const [other, q] of ps.entries()) if (q < p) expect(rejected[other]).toBe(true)
      }
    }
  })
})

test('pValue is the smallest tail at which the limits still exclude 1', () => {
  forAll(fc.double({ min: 0.2, max: 5, noNaN: true }), (value) => {
    const ratio: RatioEstimate = {
      value,
      limits: (confidence) => {
        const half = -Math.log((1 - confidence) / 2) / 10
        return { low: value * Math.exp(-half), high: value * Math.exp(half) }
      },
    }
    const p = pValue(ratio, ({ low }) => low > 1)
    if (value <= 1.075) expect(p).toBeGreaterThan(0.48)
    else expect(p).toBeCloseTo(Math.max(1e-9, value ** -10), 3)
  })
})

test('design effect is 1 for identical blocks and the block size for uniform ones', () => {
  const alike = Array.from({ length: 20 }, () => ({ count: 5, of: 10 }))
  const kinds = alike.map((_, index) => ({ count: index % 2 === 0 ? 10 : 0, of: 10 }))
  expect(designEffect(alike)).toBe(1)
  expect(designEffect(kinds)).toBeCloseTo((10 * 20) / 19, 6)
})

function traceOf(text: string) {
  return arrivalRow({ arrival: { kind: 'trace', file: 'trace.ndjson', lines: readTrace(text) } })
}
