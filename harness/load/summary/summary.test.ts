import { describe, expect, test } from 'vitest'
import { countDue, type LatencyRecorder } from '../metrics/latency-recorder.ts'
import { RunMetrics } from '../metrics/run-metrics.ts'
import { failure, type RequestRecord } from '../record.ts'
import { decideSlo } from '../slo/decide.ts'
import { parseSlo, parseSlos } from '../slo/parse.ts'
import { goodputLimits } from '../slo/slo.ts'
import { normal, recordOf, shifted } from '../test-support/records.ts'
import { type SummaryOptions, summarize } from './summary.ts'
import { measuredWindow, metricRows, sloEvidence } from './window.ts'

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

describe('a minute of ten requests per second', () => {
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

  test('meets its SLOs and passes its audits', () => {
    expect(found.slo.map(({ expression, verdict }) => `${expression}: ${verdict}`)).toEqual([
      'ttft.p95 < 500ms: met',
      'goodput > 90%: met',
      'errors < 5%: met',
      'rate > 9/s: met',
    ])
    expect(found.audits.map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'pass'])
  })

  test('has response and service times, and only service times for tpot', () => {
    const ttft = metricOf(found, 'ttft')
    expect(ttft?.service).toMatchObject({ count: 600, min: 100, mean: 100, max: 100 })
    expect(ttft?.response).toMatchObject({ min: 101, max: 101 })
    expect(metricOf(found, 'tpot')).toMatchObject({ service: { mean: 15 }, response: null })
    expect(metricOf(found, 'icl')?.service).toMatchObject({ count: 2400 })
    expect(found.transactions).toMatchObject([{ planned: 600, metrics: found.metrics }])
  })

  test('has one stall of 100 ms in each stream', () => {
    expect(found.stalls).toEqual({
      ...{ overMs: 50, streams: 600, stalled: 600, stalls: 600, longestMs: 100 },
      share: expect.closeTo(100 / 150, 10),
      ...{ gaps: 2400, coalesced: 0.25 },
    })
  })

  test('has a series by second, including the drain', () => {
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

  test('has heat maps of ttft and e2e', () => {
    expect(
      found.heatMaps.map(({ metric, columnSeconds, edgesMs }) => [metric, columnSeconds, edgesMs]),
    ).toEqual([
      ['ttft', 1, [100, 125.9]],
      ['e2e', 1, [251.2, 316.2]],
    ])
    expect(found.heatMaps[1]?.counts.flat().reduce((sum, count) => sum + count, 0)).toBe(600)
  })
})

describe('failed requests', () => {
  const found = summarize(
    minute((record, index) => {
      if (index % 20 === 3) return failing(record, 503)
      if (index % 20 === 7) return failing(record, 429)
      return index % 20 === 9 ? slower(record, 600e6) : record
    }),
    options,
  )

  test('count in the denominator of goodput and in no latency', () => {
    expect(found.goodput).toMatchObject({ good: 510, due: 600, share: 0.85 })
    expect(metricOf(found, 'ttft')?.response?.count).toBe(540)
  })

  test('are listed by kind, and shed requests apart from failed ones', () => {
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

describe('the measured window', () => {
  const noise = normal(9)
  const warming = (record: RequestRecord, index: number) =>
    slower(record, Math.max(0, 150 - index) * 4e6 + 20e6 + Math.round(3e6 * noise()))

  test('excludes the warm-up, up to the end of a slice', () => {
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

  test('follows --warm-up, and reports a drift', () => {
    const drifting = (record: RequestRecord, index: number) => slower(record, index * 1e6)
    const found = summarize(minute(drifting), { ...options, warmUpNs: 10e9 })
    expect(found.window).toMatchObject({ fromMs: 10_500, toMs: 60_000 })
    expect(found.window.method).toBe('10 s of warm-up as given by --warm-up')
    const whole = summarize(minute(drifting), { ...options, warmUpNs: 0 })
    expect(whole.window.method).toBe('no warm-up is cut')
    expect(found.window.steady.verdict).toBe('trend')
  })

  test('of an interrupted run ends with it', () => {
    const found = summarize(minute(), { ...options, untilNs: 30e9 })
    expect(found.window.toMs).toBe(30_000)
    expect(found.rates.offered).toEqual({ count: 300, perSecond: 10, wholeRun: 600 })
  })
})

const limit = { metric: 'ttft', clock: 'response', limitNs: 500e6, inclusive: false } as const
const short = { durationNs: 40e9, limits: [], stallNs: 500e6 }
const evidenceOf = (run: RunMetrics) =>
  sloEvidence(run, measuredWindow(run, { warmUpNs: 0, untilNs: 40e9 }))

/** Decides an SLO on a run of these requests. */
function decided(text: string, records: readonly RequestRecord[]) {
  const run = new RunMetrics(short)
  for (const record of records) run.add(record)
  return decideSlo(parseSlo(text), evidenceOf(run))
}

/** Record without any part of the answer when the run ends, `ranNs` nanoseconds after the plan. */
const waiting = (index: number, ranNs: number): RequestRecord =>
  recordOf({
    timestamps: {
      ...{ headers: null, firstEvent: null, firstGenerated: null, firstText: null },
      ...{ lastGenerated: null, terminal: null, ended: ranNs },
    },
    record: { index, status: null, gapsNs: [], outcome: { kind: 'open' } },
  })

const answered = Array.from({ length: 100 }, (_, index) => shifted(recordOf(), index, index * 1e6))

describe('a request that is still waiting', () => {
  test('is over a limit that it has waited longer than, and otherwise ignored', () => {
    const slo = 'ttft.p95 < 500ms'
    const long = [...answered, waiting(100, 5e9), waiting(101, 5e9)]
    expect(decided(slo, long).message).toMatch(/^2 of 102 requests were over 500 ms/)
    expect(decided('ttft.mean < 500ms', long).message).toMatch(
      /^Mean at least 197\.1 ms of 102, of which 2 were still running/,
    )
    const brief = [...answered, waiting(100, 0.2e9)]
    expect(decided(slo, brief).message).toMatch(/^0 of 100 requests were over 500 ms/)
  })

  test('is in the quantiles, but neither in goodput nor in errors', () => {
    const open = Array.from({ length: 60 }, (_, index) => waiting(100 + index, 5e9))
    const all = [...answered, ...open]
    expect(decided('ttft.p50 < 500ms', all).observed).toBeCloseTo(101, 0)
    expect(decided('ttft.p90 < 500ms', all)).toMatchObject({ observed: null, high: null })
    expect(decided('goodput > 50%', all).message).toMatch(/^100 of 100 due requests were good/)
    expect(decided('errors < 50%', all).message).toMatch(/^0 of 100 due requests failed/)
  })

  test('is not good once it has taken longer than a good one may', () => {
    const limits = [{ ...limit, metric: 'e2e' }] as const
    const run = new RunMetrics({ ...short, limits })
    const open = [waiting(100, 5e9), waiting(101, 5e9), waiting(102, 0.2e9)]
    for (const record of [...answered, ...open]) run.add(record)
    const row = decideSlo(parseSlo('goodput(e2e < 500ms) > 99%'), evidenceOf(run))
    expect(row.message).toMatch(/^100 of 102 due requests were good/)
  })
})

test.each([
  ['goodput(tpot < 1s) > 90%', 'No request had a tpot.'],
  ['tokens > 1/s', 'No response reported its number of tokens.'],
])('%s is undecided if the answers have no usage', (slo, message) => {
  const counts = { outputTokens: null, streamedTokens: null }
  const silent = answered.map((record) => ({ ...record, counts: { ...record.counts, ...counts } }))
  expect(decided(slo, silent)).toMatchObject({ verdict: 'undecided', observed: null, message })
})

test('the creation of a chat does not count as a request of a user, unless it fails', () => {
  const creation = { operation: 'v3.createChat', form: 'json', step: 0 } as const
  const failed = failure('status', '500', 'serverErrors')
  const run = new RunMetrics(short)
  for (const record of answered) run.add({ ...record, step: 1 })
  for (const record of answered.slice(0, 20)) run.add({ ...record, ...creation })
  run.add({ ...recordOf(), ...creation, index: 100, outcome: failed })
  const { group } = evidenceOf(run)
  expect(group.outcomes).toMatchObject({ requests: 101, ok: 100, failed: 1 })
  expect(group.latencies('e2e', 'response').count).toBe(100)
  expect([...run.transactions.byName.values()][0]?.begun).toBe(21)
})

test('busy periods that neighbors do not show have an effective sample far below their number', () => {
  const noise = normal(5)
  const run = new RunMetrics(short)
  let slow = 0
  for (let index = 0; index < 4000; index++) {
    slow = 0.995 * slow + noise()
    const firstGenerated = 1e9 + Math.round(1e7 * (slow + 20 * noise()))
    run.add(shifted(recordOf({ timestamps: { firstGenerated } }), index, index * 10e6))
  }
  const { independent } = evidenceOf(run)
  const share = independent((slice) => slice.over({ ...limit, limitNs: 1e9 }))
  expect(share).toBeLessThan(0.2)
})

test('correlated neighbors have an effective sample below their number', () => {
  const noise = normal(4)
  const shareOf = (rho: number) => {
    const run = new RunMetrics(short)
    let last = 0
    for (let index = 0; index < 2000; index++) {
      last = rho * last + noise()
      const firstGenerated = 101e6 + Math.round(1e6 * last)
      run.add(shifted(recordOf({ timestamps: { firstGenerated } }), index, index * 10e6))
    }
    const [ttft, e2e] = (['ttft', 'e2e'] as const).map((name) => {
      const row = metricRows(run, { from: 0, to: 40 }).find((each) => each.name === name)?.response
      return row ? row.effective / row.count : Number.NaN
    })
    return { ttft, e2e }
  }
  expect(shareOf(0).ttft).toBeGreaterThan(0.85)
  // (1 - 0.5) / (1 + 0.5)
  expect(shareOf(0.5).ttft).toBeGreaterThan(0.28)
  expect(shareOf(0.5).ttft).toBeLessThan(0.4)
  expect(shareOf(0.5).e2e).toBe(1)
})

describe('an SLO has the effective sample size of its own metric', () => {
  const good = ({ outcomes }: LatencyRecorder) => {
    return { count: outcomes.good, of: countDue(outcomes) }
  }
  const failed = ({ outcomes }: LatencyRecorder) => {
    return { count: outcomes.failed, of: countDue(outcomes) }
  }
  const limits = [{ ...limit, limitNs: 150e6 }]
  /** First tokens after 600 ms while the target freezes for 40 requests; a request fails now and then. */
  function frozen(failing: (index: number) => boolean) {
    const run = new RunMetrics({ ...short, limits })
    for (let index = 0; index < 400; index++) {
      const slow = index >= 200 && index < 240
      const firstGenerated = slow ? 600e6 : 101e6
      const outcome = failing(index)
        ? failure('status', '500', 'serverErrors')
        : ({ kind: 'ok' } as const)
      run.add(
        shifted(
          recordOf({ timestamps: { firstGenerated }, record: { outcome } }),
          index,
          index * 1e8,
        ),
      )
    }
    return evidenceOf(run)
  }

  test('and errors without failures are independent despite correlated latencies', () => {
    const evidence = frozen(() => false)
    expect(evidence.independent(failed)).toBe(1)
    expect(evidence.independent(good)).toBeLessThan(0.05)
    expect(evidence.independent((slice) => slice.over(limit))).toBeLessThan(0.05)
    const errors = decideSlo(parseSlo('errors < 1%'), evidence)
    expect(errors).toMatchObject({ verdict: 'undecided', needed: 59 })
    const goodput = decideSlo(parseSlo('goodput > 99%'), evidence)
    expect(goodput.message).toMatch(/^360 of 400 due requests were good/)
  })

  test('and failures in a burst count as few, scattered ones in full', () => {
    const together = frozen((index) => index >= 100 && index < 120)
    expect(together.independent(failed)).toBeLessThan(0.1)
    expect(frozen((index) => index % 20 === 0).independent(failed)).toBe(1)
  })

  test('and a freeze leaves it undecided, with the reason in the message', () => {
    const evidence = frozen(() => false)
    const row = decideSlo(parseSlo('ttft.p95 < 500ms'), evidence)
    expect(row.verdict).toBe('undecided')
    expect(row.message).toMatch(
      /^40 of 400 requests were over 500 ms; p95 allows 5 %\. The 40 came close together \(effective sample \d+ of 400\), so they say little about other times\. \d+ more clean/,
    )
  })
})

test('gaps of one stream count as one value', () => {
  const run = new RunMetrics(short)
  for (const record of answered) run.add(record)
  const { group } = evidenceOf(run)
  expect(group.latencies('icl', 'service').count).toBe(400)
  expect(group.streamShare('icl')).toBe(0.25)
})
