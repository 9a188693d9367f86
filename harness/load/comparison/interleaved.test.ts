import { describe, expect, test } from 'vitest'
import type { LoadReport } from '../../../contract/report/load/report.ts'
import { loadReportOf } from '../../../reports/load/test-support/sketch.ts'
import { Histogram } from '../metrics/samples/histogram.ts'
import { packBlocks } from '../summary/blocks.ts'
import { normal } from '../test-support/simulated-run.ts'
import { compareInterleaved } from './interleaved.ts'

const options = { figures: null, tolerance: 0.05 }

describe('blocks in turn on a machine that becomes twice as slow during the run', () => {
  test('no regression in 40 runs of equal deployments', () => {
    const wrong = runs(40, 1).filter(({ outcome }) => outcome === 'regression')
    expect(wrong.length).toBeLessThanOrEqual(1)
  })

  test('a slowdown of 10 % is found in 19 of 20 runs', () => {
    const found = runs(20, 1.1).filter(({ outcome }) => outcome === 'regression')
    expect(found.length).toBeGreaterThanOrEqual(19)
  })
})

test('all blocks of a run count', () => {
  const { figures, a } = compareInterleaved(pairsOf(5, 1), options)
  expect(figures.map(({ name }) => name)).toEqual(['ttft.p50', 'ttft.p95', 'success'])
  expect(figures.every(({ ratio }) => ratio !== null)).toBe(true)
  expect(a.requests).toBe(12 * loadReportOf().goodput.due)
})

test('pairs of an overloaded generator are left out; with most of them the run is invalid', () => {
  const pairs = pairsOf(7, 1)
  const spoilt = (number: number) =>
    pairs.map(({ a, b }, index) => ({ a, b: index < number ? invalid(b) : b }))
  const few = compareInterleaved(spoilt(2), options)
  expect(few.notes[0]).toBe('2 of 12 pairs left out: the load generator was the bottleneck')
  expect(few.figures).not.toEqual([])
  expect(compareInterleaved(spoilt(7), options)).toMatchObject({ outcome: 'invalid', figures: [] })
})

test('fewer pairs than limits take decide nothing', () => {
  const { outcome, figures } = compareInterleaved(pairsOf(1, 3).slice(0, 5), options)
  expect(outcome).toBe('undecided')
  expect(figures[0]?.message).toMatch(/^5 pairs of blocks have enough values; it takes 6/)
})

test('a deployment that fails is a regression, however fast its other answers are', () => {
  const pairs = pairsOf(3, 0.5).map(({ a, b }) => ({ a, b: { ...b, blocks: failing(10) } }))
  const found = compareInterleaved(pairs, options)
  expect(found.figures.find(({ name }) => name === 'success')?.verdict).toBe('regression')
})

function runs(number: number, factor: number) {
  return Array.from({ length: number }, (_, run) =>
    compareInterleaved(pairsOf(100 * run, factor), options),
  )
}

function pairsOf(seed: number, factor: number) {
  const drift = normal(seed)
  return Array.from({ length: 12 }, (_, pair) => {
    const level = 2 ** (pair / 12) * Math.exp(0.01 * drift())
    return {
      a: blockOf(seed * 31 + 2 * pair, level),
      b: blockOf(seed * 31 + 2 * pair + 1, level * factor),
    }
  })
}

function blockOf(seed: number, level: number): LoadReport {
  const noise = normal(seed)
  const parts = [new Histogram(), new Histogram(), new Histogram()]
  for (let request = 0; request < 150; request++) {
    parts[request % 3]?.add(200e6 * level * Math.exp(0.15 * noise()))
  }
  return loadReportOf({ blocks: blocksOf(parts, 50), slo: [], generator: validGenerator })
}

function failing(ok: number): string {
  const values = new Histogram()
  values.add(1e6, ok)
  return blocksOf([values, values, values], ok)
}

/** Report as `chatgen load` stores a run: in several blocks. */
function blocksOf(parts: readonly Histogram[], ok: number): string {
  const blocks = parts.map((values) => {
    const counts = values.store().counts.map(([low, count]): [number, number] => [low, count])
    const latencies = [{ metric: 'ttft' as const, clock: 'response' as const, counts, censored: 0 }]
    return { due: 50, ok, good: ok, completed: ok, outputTokens: 0, latencies }
  })
  return packBlocks({ blockMs: 3000, blocks })
}

function invalid(report: LoadReport): LoadReport {
  return { ...report, generator: { ...report.generator, verdict: 'invalid' } }
}

const validGenerator = { ...loadReportOf().generator, verdict: 'valid' as const }
