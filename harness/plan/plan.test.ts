import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { forAll, forSome } from '../../contract/test-support/for-all.ts'
import { type CapacityReport, capacityReport } from '../../reports/capacity/model/report.ts'
import { InputError } from '../load/options.ts'
import { TraceSyntaxError } from '../load/plan/arrival-times.ts'
import { parseSlo } from '../load/slo/parse.ts'
import { parseDemand, parsePrice } from './demand.ts'
import { basisOf, caveatOf, worstBasis } from './describe.ts'
import { predictSlo } from './predict.ts'
import { fitScalability, type MeasuredSize, rateOf, type UniversalLaw } from './scalability.ts'
import { latenciesOf } from './simulation/simulate.ts'
import { simulatedReport } from './test-support/simulated-report.ts'
import { busiest, part, readDemandTrace, requestsWithin, timeLabel } from './trace.ts'

describe('parseDemand and parsePrice', () => {
  test.each([
    ['concurrency=600', { kind: 'concurrency', users: 600 }],
    ['rate=90/s', { kind: 'rate', perSecond: 90 }],
    ['rate=5400/min', { kind: 'rate', perSecond: 90 }],
    ['rate = 324000/h', { kind: 'rate', perSecond: 90 }],
    ['./traces/rate=1.csv', { kind: 'file', path: './traces/rate=1.csv' }],
  ])('parse the demand %s', (text, demand) => {
    expect(parseDemand(text)).toEqual(demand)
  })

  test.each(['rate=90', 'rate=0/s', 'rate=x/s', 'concurrency=0', 'concurrency=1.5', 'users=5', ''])(
    'reject the demand %j',
    (text) => {
      expect(() => parseDemand(text)).toThrow(InputError)
    },
  )

  test.each([
    ['2.40/h', { perHour: 2.4, currency: '' }],
    ['$2.40/h', { perHour: 2.4, currency: '$' }],
    ['2.40 EUR/h', { perHour: 2.4, currency: 'EUR' }],
    ['1460/month', { perHour: 2, currency: '' }],
  ])('parse the price %s', (text, price) => {
    expect(parsePrice(text)).toEqual(price)
  })

  test.each(['2.40', 'free', '2.40/s', '-1/h'])('reject the price %s', (text) => {
    expect(() => parsePrice(text)).toThrow(InputError)
  })
})

describe('a demand trace', () => {
  test('has rates by the hour', () => {
    const trace = readDemandTrace('at,rate\n08:00,2\n09:00,10\n10:00,4\n')
    expect(trace).toMatchObject({ durationMs: 3 * 3_600_000, requests: 16 * 3600 })
    const peak = busiest(trace, 3_600_000)
    expect(timeLabel(trace, peak.fromMs)).toBe('09:00')
    expect(requestsWithin(trace, peak.fromMs, peak.toMs)).toBe(36_000)
    expect(part(trace, peak.fromMs, peak.toMs)).toEqual([{ fromMs: 0, perSecond: 10 }])
  })

  test('has single requests with lengths', () => {
    const trace = readDemandTrace('at,prompt,answer\n0,10,20\n0.5,30,40\n7,10,20\n')
    expect(trace).toMatchObject({ requests: 3, durationMs: 8000, startsAtMs: null })
    expect(trace.lengths).toHaveLength(3)
    expect(trace.pieces[0]).toEqual({ fromMs: 0, perSecond: 2 })
  })

  test('may pass midnight or have the lines of chatgen load', () => {
    const night = readDemandTrace('at,requests\n23:00,3600\n00:00,7200\n')
    expect(night.pieces).toEqual([
      { fromMs: 0, perSecond: 1 },
      { fromMs: 3_600_000, perSecond: 2 },
    ])
    const nights = readDemandTrace('at,rate\n22:00,1\n00:00,2\n01:00,3\n23:00,4\n01:00,5\n')
    expect(nights.pieces.map(({ fromMs }) => fromMs / 3_600_000)).toEqual([0, 2, 3, 25, 27])
    expect(readDemandTrace('{"at": 1}\n{"at": 2.5}\n')).toMatchObject({ requests: 2 })
  })

  test('has the same hours on a machine with daylight-saving time', () => {
    vi.stubEnv('TZ', 'Europe/Berlin')
    onTestFinished(() => void vi.unstubAllEnvs())
    const lines = ['01:00', '02:00', '03:00Z', '04:00+00:00'].map((time) => `2026-03-29T${time},1`)
    const { pieces } = readDemandTrace(['at,rate', ...lines].join('\n'))
    expect(pieces.map(({ fromMs }) => fromMs / 3_600_000)).toEqual([0, 1, 2, 3])
  })

  test('is sorted if it was recorded by a load run, without requests that generate nothing', () => {
    const trace = readDemandTrace(
      [
        '{"operation":"v3.generate","planned":1500,"promptTokens":30,"tokens":4}',
        '{"operation":"v3.oneShot","planned":500,"promptTokens":null,"tokens":null}',
        '{"operation":"v3.history","planned":100,"promptTokens":null,"tokens":null}',
      ].join('\n'),
    )
    expect(trace).toMatchObject({ requests: 2, durationMs: 2000 })
    expect(trace.lengths).toEqual([{ promptTokens: 30, outputTokens: 4 }])
  })

  test.each([
    ['{"operation":"v3.generate","planned":1,"promptTokens":3,"tokens":4}\n{"planned":"x"}\n', 2],
    ['{"operation":"v3.chats","planned":1,"promptTokens":null,"tokens":null}\n', 1],
    ['at,rate\n0,1\n60,x\n', 3],
    ['at,rate\n0,1\n60,-1\n', 3],
    ['at,rate\nnoon,1\n', 2],
    ['at,rate\n60,1\n0,1\n', 3],
    ['when,rate\n0,1\n', 1],
    ['at,rate\n', 2],
    ['at\n1764000000000\n1764000060000\n', 2],
    ['at,requests\n0,5\n86400000,5\n', 1],
    ['{"at": 1}\n{"at": "x"}\n', 2],
    ['{"at": 1764000000000}\n', 1],
  ])('is rejected with a line number: %j', (text, line) => {
    expect(() => readDemandTrace(text)).toThrow(expect.objectContaining({ line }))
    expect(() => readDemandTrace(text)).toThrow(TraceSyntaxError)
  })

  test('has no busier interval than the result of busiest', () => {
    const rates = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 2, maxLength: 40 })
    forAll(rates, fc.integer({ min: 1, max: 30 }), (values, minutes) => {
      const lines = values.map((rate, at) => `${at * 60},${rate}`)
      const trace = readDemandTrace(['at,rate', ...lines].join('\n'))
      const { fromMs, toMs } = busiest(trace, minutes * 60_000)
      const max = requestsWithin(trace, fromMs, toMs)
      for (let start = 0; start < trace.durationMs; start += 30_000) {
        const end = Math.min(trace.durationMs, start + minutes * 60_000)
        expect(requestsWithin(trace, start, end)).toBeLessThanOrEqual(max + 1e-6)
      }
    })
  })
})

const measured = (replicas: number, rate: number, error = 0.03): MeasuredSize => ({
  replicas,
  rate,
  interval: [rate * (1 - error), rate * (1 + error)],
})

test('predicted goodput of several limits is the share of requests that keep all of them', () => {
  const request = { atMs: 0, promptTokens: 1, outputTokens: 11 }
  const slowStart = { ...request, firstTokenMs: 900, endMs: 1000 }
  const slowTokens = { ...request, firstTokenMs: 100, endMs: 1000 }
  const latencies = latenciesOf([slowStart, slowTokens], 0, { fromMs: 0, toMs: 1000 })
  const goodput = (limits: string) =>
    predictSlo(parseSlo(`goodput(${limits}) > 90%`), { latencies, share: 1 }).value
  expect(goodput('ttft < 500ms')).toBe(0.5)
  expect(goodput('ttft < 500ms, tpot < 50ms')).toBe(0)
})

describe('Universal Scalability Law', () => {
  test('is recovered from exact measurements within its interval', () => {
    const laws = fc.record({
      lambda: fc.double({ min: 1, max: 100, noNaN: true }),
      sigma: fc.double({ min: 0, max: 0.2, noNaN: true }),
      kappa: fc.double({ min: 0, max: 0.01, noNaN: true }),
    })
    forSome(30, laws, (law: UniversalLaw) => {
      const sizes = [1, 2, 4, 8, 12].map((replicas) => measured(replicas, rateOf(law, replicas)))
      const { status, predict } = fitScalability(sizes, 'seed')
      expect(status).toBe('fits')
      for (const replicas of [3, 10, 16]) {
        const truth = rateOf(law, replicas)
        const { rate, interval } = predict?.(replicas) ?? { rate: 0, interval: [0, 0] }
        expect(rate / truth).toBeCloseTo(1, 1)
        expect(interval[0]).toBeLessThan(truth)
        expect(interval[1]).toBeGreaterThan(truth)
      }
    })
  })

  test('passes through two sizes with kappa 0', () => {
    const { law, message } = fitScalability([measured(1, 10), measured(3, 24)], 'seed')
    expect(law?.kappa).toBe(0)
    expect(rateOf(law ?? { lambda: 0, sigma: 0, kappa: 0 }, 3)).toBeCloseTo(24, 6)
    expect(message).toContain('kappa is taken as 0')
  })

  test('does not fit superlinear measurements', () => {
    const sizes = [measured(1, 10), measured(2, 30), measured(4, 100)]
    expect(fitScalability(sizes, 'seed')).toMatchObject({ status: 'does not fit', law: null })
  })
})

const empty = simulatedReport({ rates: [] })
const outcomes = capacityReport.shape.outcome.options

test.each<[Partial<CapacityReport>, ReturnType<typeof basisOf>, RegExp | null]>([
  [{ outcome: 'found' }, 'decided', null],
  [{ outcome: 'above max' }, 'decided', null],
  [{ outcome: 'below min' }, 'decided', null],
  [{ outcome: 'undecided' }, 'undecided', /its budget ended .* a longer --budget$/],
  [{ outcome: 'violated' }, 'undecided', /requirements were violated under load/],
  [{ outcome: 'unreachable' }, 'undecided', /the target stopped answering/],
  [{ outcome: 'invalid' }, 'invalid', /the load generator was the bottleneck, so/],
  [{ outcome: 'found', interrupted: true }, 'undecided', /its search was interrupted/],
  [{ outcome: 'found', faults: ['a slip'] }, 'undecided', /chatgen failed during its search/],
  [{ outcome: 'invalid', interrupted: true }, 'invalid', /the load generator was the bottleneck/],
])('a search that ended with %j is %s', (end, basis, caveat) => {
  const report = { ...empty, ...end }
  expect(basisOf(report)).toBe(basis)
  const text = caveatOf({ file: 'one.json', replicas: 1, report })
  if (caveat === null) expect(text).toBeNull()
  else expect(text).toMatch(new RegExp(`^one\\.json is ${basis}: ${caveat.source}`))
})

test('several measurements have the worst basis among them, in any order', () => {
  const order = ['decided', 'undecided', 'invalid'] as const
  const all = outcomes.flatMap((outcome) =>
    [true, false].map((interrupted) => ({ ...empty, outcome, interrupted })),
  )
  forAll(fc.shuffledSubarray(all, { minLength: 1 }), fc.constantFrom(1, 3), (reports, size) => {
    const measurements = reports.map((report) => ({ file: 'a', replicas: size, report }))
    const ranks = reports.map((report) => order.indexOf(basisOf(report)))
    expect(worstBasis(measurements)).toBe(order[Math.max(...ranks)])
  })
})
