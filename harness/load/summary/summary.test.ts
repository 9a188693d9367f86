import { describe, expect, test } from 'vitest'
import { RunMetrics } from '../metrics/run-metrics.ts'
import { failure, type RequestRecord } from '../record.ts'
import { parseSlos } from '../slo/parse.ts'
import { goodputLimits } from '../slo/slo.ts'
import { normal, recordOf, shifted } from '../test-support/records.ts'
import { type SummaryOptions, summarize } from './summary.ts'

const slos = parseSlos(['ttft.p95 < 500ms', 'goodput > 90%', 'errors < 5%', 'rate > 9/s'])
const config = { durationNs: 60e9, limits: goodputLimits(slos), stallNs: 50e6 }
const transactions = [{ name: 'chat', surface: 'openai', share: 1 }] as const
const options: SummaryOptions = { warmUpNs: 0, untilNs: 60e9, slos, transactions }

/** Ten a second for a minute, 50 ms after the second. */
function minute(change: (record: RequestRecord, index: number) => RequestRecord = (one) => one) {
  const run = new RunMetrics(config)
  for (let index = 0; index < 600; index++) {
    run.add(shifted(change(recordOf(), index), index, index * 100e6 + 50e6))
  }
  return run
}

const slower = (record: RequestRecord, byNs: number): RequestRecord => {
  const { planned, dispatched, connected, sent, ...later } = record.timestamps
  const moved = Object.fromEntries(
    Object.entries(later).map(([name, at]) => [name, at === null ? null : at + byNs]),
  )
  return { ...record, timestamps: { ...record.timestamps, ...moved } }
}

const failing = (record: RequestRecord, status: number): RequestRecord => ({
  ...record,
  status,
  outcome:
    status === 429 ? failure('shed', '429') : failure('status', String(status), 'serverErrors'),
})

type Metrics = Pick<ReturnType<typeof summarize>, 'metrics'>
const metricOf = ({ metrics }: Metrics, metric: string) =>
  metrics.find(({ name }) => name === metric)
const quantileOf = (q: number, clock: 'service' | 'response', of: Metrics) =>
  metricOf(of, 'ttft')?.[clock]?.quantiles.find((each) => each.q === q)?.value ?? Number.NaN

describe('a minute of ten a second', () => {
  const found = summarize(minute(), options)

  test('has five rates and its goodput', () => {
    expect(found.rates).toEqual({
      offered: { count: 600, perSecond: 10, wholeRun: 600 },
      dispatched: { count: 600, perSecond: 10, wholeRun: 600 },
      // The last three are still running when the plan ends.
      completed: { count: 597, perSecond: 9.95, wholeRun: 600 },
      shed: { count: 0, perSecond: 0, wholeRun: 0 },
      failed: { count: 0, perSecond: 0, wholeRun: 0 },
    })
    expect(found.goodput).toEqual({ good: 600, due: 600, share: 1, perSecond: 10 })
  })

  test('keeps its SLOs and its laws', () => {
    expect(found.slo.map(({ expression, verdict }) => `${expression}: ${verdict}`)).toEqual([
      'ttft.p95 < 500ms: met',
      'goodput > 90%: met',
      'errors < 5%: met',
      'rate > 9/s: met',
    ])
    expect(found.audits.map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'pass'])
  })

  test('tells each latency by both clocks, and those without a plan by one', () => {
    const ttft = metricOf(found, 'ttft')
    expect(ttft?.service).toMatchObject({ count: 600, min: 100, mean: 100, max: 100 })
    expect(ttft?.response).toMatchObject({ min: 101, max: 101 })
    expect(metricOf(found, 'tpot')).toMatchObject({ service: { mean: 15 }, response: null })
    expect(metricOf(found, 'icl')?.service).toMatchObject({ count: 2400 })
    expect(found.transactions).toMatchObject([{ planned: 600, metrics: found.metrics }])
  })

  test('has one gap of 100 ms in each stream', () => {
    expect(found.stalls).toEqual({
      ...{ overMs: 50, streams: 600, stalled: 600, stalls: 600, longestMs: 100 },
      share: expect.closeTo(100 / 150, 10),
      ...{ gaps: 2400, coalesced: 0.25 },
    })
  })

  test('is told second by second, the drain included', () => {
    const e2e = expect.closeTo(260, 5)
    expect(found.series).toHaveLength(61)
    expect(found.series[30]).toEqual({
      second: 30,
      ...{ planned: 10, dispatched: 10, completed: 10, shed: 0, failed: 0, inFlight: 3 },
      ...{ events: 50, bytes: 10_000, outputTokens: 110 },
      ttft: { p50: 101, p90: 101, p99: 101 },
      e2e: { p50: e2e, p90: e2e, p99: e2e },
      icl: { p50: expect.closeTo(20, 0), p90: expect.closeTo(100, 5), p99: expect.closeTo(100, 5) },
    })
    expect(found.series[60]).toMatchObject({ planned: 0, completed: 3, inFlight: 0 })
  })

  test('is a heat map of one row each', () => {
    expect(
      found.heatMaps.map(({ metric, columnSeconds, edgesMs }) => [metric, columnSeconds, edgesMs]),
    ).toEqual([
      ['ttft', 1, [100, 125.9]],
      ['e2e', 1, [251.2, 316.2]],
    ])
    expect(found.heatMaps[1]?.counts.flat().reduce((sum, count) => sum + count, 0)).toBe(600)
  })
})

describe('failures', () => {
  const found = summarize(
    minute((record, index) => {
      if (index % 20 === 3) return failing(record, 503)
      if (index % 20 === 7) return failing(record, 429)
      return index % 20 === 9 ? slower(record, 600e6) : record
    }),
    options,
  )

  test('are in the denominator of goodput, and in no latency', () => {
    expect(found.goodput).toMatchObject({ good: 510, due: 600, share: 0.85 })
    expect(metricOf(found, 'ttft')?.response?.count).toBe(540)
  })

  test('are told by kind, and shed apart from failed', () => {
    expect(found.errors).toEqual([
      {
        ...{ kind: 'status', counter: 'serverErrors', detail: '503' },
        ...{ count: 30, share: 0.05, firstIndex: 3 },
        firstSecond: expect.closeTo(0.3505, 6),
      },
      {
        ...{ kind: 'shed', counter: 'tooManyRequests', detail: '429' },
        ...{ count: 30, share: 0.05, firstIndex: 7 },
        firstSecond: expect.closeTo(0.7505, 6),
      },
    ])
    expect(found.rates.shed.count).toBe(30)
    expect(found.rates.failed.count).toBe(30)
  })

  test('decide the SLOs', () => {
    const verdicts = ['undecided', 'missed', 'missed', 'missed']
    expect(found.slo.map(({ verdict }) => verdict)).toEqual(verdicts)
    expect(found.slo[0]?.message).toContain('30 of 540 requests were over 500 ms')
  })
})

describe('the window', () => {
  const noise = normal(9)
  const warming = (record: RequestRecord, index: number) =>
    slower(record, Math.max(0, 150 - index) * 4e6 + 20e6 + Math.round(3e6 * noise()))

  test('leaves the warm-up out, on the end of a slice', () => {
    const found = summarize(minute(warming), { ...options, warmUpNs: 'auto' })
    expect(found.window.method).toBe('MSER-5 on ttft')
    // The 150 slow requests take 15 s; a slice is 1.5 s.
    expect(found.window.fromMs % 1500).toBe(0)
    expect(found.window.fromMs).toBeGreaterThanOrEqual(13_500)
    expect(found.window.fromMs).toBeLessThanOrEqual(24_000)
    expect(found.window.steady.verdict).toBe('steady')
    expect(found.rates.offered.perSecond).toBeCloseTo(10, 6)
    const planned = (60_000 - found.window.fromMs) / 100
    expect(metricOf(found, 'ttft')?.response?.count).toBe(planned)
  })

  test('that is asked for is taken, and a drift in it is told', () => {
    const drifting = (record: RequestRecord, index: number) => slower(record, index * 1e6)
    const found = summarize(minute(drifting), { ...options, warmUpNs: 10e9 })
    expect(found.window).toMatchObject({ fromMs: 10_500, toMs: 60_000 })
    expect(found.window.method).toBe('10 s of warm-up as given by --warm-up')
    expect(found.window.steady.verdict).toBe('trend')
  })

  test('of an interrupted run ends with it', () => {
    const found = summarize(minute(), { ...options, untilNs: 30e9 })
    expect(found.window.toMs).toBe(30_000)
    expect(found.rates.offered).toEqual({ count: 300, perSecond: 10, wholeRun: 600 })
  })
})

test('a target that freezes is slow from the plan, and not from the moment of sending', () => {
  // For 5 s nothing is sent; each request is sent when the freeze ends, and answered as usual.
  const frozen = (record: RequestRecord, index: number) => {
    const late = index >= 300 && index < 350 ? (350 - index) * 100e6 : 0
    const { planned } = record.timestamps
    const moved = shifted(record, index, late)
    return { ...moved, timestamps: { ...moved.timestamps, planned } }
  }
  const found = summarize(minute(frozen), options)
  expect(quantileOf(0.95, 'service', found)).toBeCloseTo(100, 3)
  // 50 of 600 waited; 20 of them over 3 s are the slowest 30: rank 570 waited 2.1 s.
  expect(quantileOf(0.95, 'response', found)).toBeGreaterThan(2000)
  expect(quantileOf(0.95, 'response', found)).toBeLessThan(2300)
})
