import { describe, expect, test } from 'vitest'
import { quantileEstimate, sampleOf } from '../statistics/quantile-interval.ts'
import { decideSlo, type LatencyEvidence, type SloEvidence } from './decide.ts'
import { parseSlo } from './parse.ts'

/** `fast` values of 100 ms and `slow` values of 700 ms. */
function latencies(fast: number, slow: number): LatencyEvidence {
  const values = [...new Array<number>(fast).fill(1e8), ...new Array<number>(slow).fill(7e8)]
  const sample = sampleOf(values)
  const meanNs = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - meanNs) ** 2, 0) / values.length
  return {
    decided: fast + slow,
    over: slow,
    independent: 1,
    count: fast + slow,
    meanNs: values.length === 0 ? null : meanNs,
    deviationNs: values.length === 0 ? null : Math.sqrt(variance),
    quantile: (q) => quantileEstimate(sample, q),
  }
}

const nothing = { count: 0, of: 0, independent: 1 }
const evidence: SloEvidence = {
  latency: () => latencies(0, 0),
  goodput: nothing,
  errors: nothing,
  windowNs: 30e9,
  completed: 300,
  outputTokens: 9000,
}

const decide = (text: string, measured: Partial<SloEvidence> = {}) =>
  decideSlo(parseSlo(text), { ...evidence, ...measured })

describe('a quantile', () => {
  test('is met where so few over the limit can only come of fewer', () => {
    expect(decide('ttft.p99 < 500ms', { latency: () => latencies(661, 1) })).toEqual({
      expression: 'ttft.p99 < 500ms',
      verdict: 'met',
      needed: null,
      observed: 100,
      low: 100,
      high: 100,
      unit: 'ms',
      message: '1 of 662 requests were over 500 ms; p99 allows 1 %. Met at 99 % confidence.',
      limits: [
        {
          ...{ metric: 'ttft', clock: 'response', statistic: 'p99' },
          ...{ value: 500, unit: 'ms', inclusive: false },
        },
      ],
    })
  })

  test('says how many more are needed, and shows no p99 of 200', () => {
    expect(decide('ttft.p99 < 500ms', { latency: () => latencies(200, 0) })).toMatchObject({
      verdict: 'undecided',
      needed: 259,
      observed: null,
      message:
        '0 of 200 requests were over 500 ms; p99 allows 1 %. 259 more clean requests needed for a decision.',
    })
  })

  test('is missed by a few requests where all are over', () => {
    expect(decide('ttft.p50 < 500ms', { latency: () => latencies(0, 7) })).toMatchObject({
      verdict: 'missed',
      observed: 700,
    })
  })

  test('asks for the metric and the clock of its expression', () => {
    const levels: string[] = []
    decide('service.e2e.p50 <= 2s', {
      latency: ({ metric, clock, limitNs, inclusive }) => {
        levels.push(`${clock} ${metric} ${limitNs} ${inclusive}`)
        return latencies(50, 0)
      },
    })
    expect(levels).toEqual(['service e2e 2000000000 true'])
  })
})

describe('a mean', () => {
  test('is decided where the limit is 2.326 standard errors away', () => {
    // Mean 400 ms, deviation 300 ms; at 500 ms that takes (2.326 * 3) ** 2 = 48.7 values.
    expect(decide('e2e.mean < 500ms', { latency: () => latencies(24, 24) })).toMatchObject({
      verdict: 'undecided',
      needed: 1,
      observed: 400,
    })
    expect(decide('e2e.mean < 500ms', { latency: () => latencies(25, 25) })).toMatchObject({
      verdict: 'met',
      low: expect.closeTo(400 - (1.96 * 300) / Math.sqrt(50), 6),
    })
    expect(decide('e2e.mean < 300ms', { latency: () => latencies(25, 25) }).verdict).toBe('missed')
  })

  test('of 29 values is not decided; at the limit it never is', () => {
    expect(decide('e2e.mean < 500ms', { latency: () => latencies(29, 0) })).toMatchObject({
      verdict: 'undecided',
      needed: 1,
    })
    expect(decide('e2e.mean < 400ms', { latency: () => latencies(25, 25) }).needed).toBe(1e7)
    expect(decide('e2e.mean < 400ms').needed).toBe(30)
  })

  test('of a constant is compared', () => {
    expect(decide('e2e.mean <= 100ms', { latency: () => latencies(30, 0) }).verdict).toBe('met')
    expect(decide('e2e.mean < 100ms', { latency: () => latencies(30, 0) }).verdict).toBe('missed')
  })
})

describe('shares', () => {
  test('goodput counts what was not good', () => {
    const goodput = { count: 659, of: 662, independent: 1 }
    expect(decide('goodput > 99%', { goodput })).toMatchObject({
      verdict: 'undecided',
      unit: '%',
      observed: expect.closeTo(99.547, 3),
      message: expect.stringContaining('3 were not, 1 % may be.'),
    })
    expect(decide('goodput > 95%', { goodput }).verdict).toBe('met')
  })

  test('errors', () => {
    const errors = { count: 20, of: 500, independent: 1 }
    expect(decide('errors < 1%', { errors }).verdict).toBe('missed')
    expect(decide('errors < 10%', { errors }).verdict).toBe('met')
    expect(decide('errors < 1%')).toMatchObject({
      verdict: 'undecided',
      needed: 459,
      observed: null,
    })
  })
})

describe('rates', () => {
  test('are what the window held', () => {
    expect(decide('rate > 10/s')).toMatchObject({ verdict: 'missed', observed: 10 })
    expect(decide('rate >= 10/s')).toMatchObject({
      verdict: 'met',
      message: '300 requests in 30.0 s.',
    })
    expect(decide('tokens > 299/s')).toMatchObject({ verdict: 'met', observed: 300, unit: '/s' })
    expect(decide('rate > 1/s', { windowNs: 0 }).verdict).toBe('undecided')
  })
})
