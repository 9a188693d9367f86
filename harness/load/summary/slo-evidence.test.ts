import { describe, expect, test } from 'vitest'
import { RunMetrics } from '../metrics/run-metrics.ts'
import { failure, type RequestRecord } from '../record.ts'
import { decideSlo } from '../slo/decide.ts'
import { parseSlo } from '../slo/parse.ts'
import { normal, recordOf, shifted } from '../test-support/records.ts'
import { sloEvidence } from './latencies.ts'
import { independenceOf, measuredWindow } from './window.ts'

const config = { durationNs: 40e9, limits: [], stallNs: 500e6 }
const limit = { metric: 'ttft', clock: 'response', limitNs: 500e6, inclusive: false } as const

function evidenceOf(records: readonly RequestRecord[]) {
  const run = new RunMetrics(config)
  for (const record of records) run.add(record)
  return sloEvidence(run, measuredWindow(run, { warmUpNs: 0, untilNs: 40e9 }))
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
  test('is over a limit that it has waited for, and otherwise not known', () => {
    const long = evidenceOf([...answered, waiting(100, 5e9), waiting(101, 5e9)])
    expect(long.latency(limit)).toMatchObject({ decided: 102, over: 2, count: 100 })
    const short = evidenceOf([...answered, waiting(100, 0.2e9)])
    expect(short.latency(limit)).toMatchObject({ decided: 100, over: 0 })
  })

  test('is in the quantiles and in neither goodput nor errors', () => {
    const open = Array.from({ length: 60 }, (_, index) => waiting(100 + index, 5e9))
    const found = evidenceOf([...answered, ...open])
    expect(found.latency(limit).quantile(0.5).value).toBeCloseTo(101e6, -5)
    expect(found.latency(limit).quantile(0.9)).toMatchObject({ value: null, high: null })
    expect(found.goodput).toMatchObject({ count: 100, of: 100 })
    expect(found.errors).toMatchObject({ count: 0, of: 100 })
  })
})

test('neighbors that resemble each other are worth less than their number', () => {
  const noise = normal(4)
  const shareOf = (rho: number) => {
    const run = new RunMetrics(config)
    let last = 0
    for (let index = 0; index < 2000; index++) {
      last = rho * last + noise()
      const firstGenerated = 101e6 + Math.round(1e6 * last)
      run.add(shifted(recordOf({ timestamps: { firstGenerated } }), index, index * 10e6))
    }
    return independenceOf(run, 0, 40e9)
  }
  expect(shareOf(0).ttft).toBeGreaterThan(0.85)
  // (1 - 0.5) / (1 + 0.5)
  expect(shareOf(0.5).ttft).toBeGreaterThan(0.28)
  expect(shareOf(0.5).ttft).toBeLessThan(0.4)
  expect(shareOf(0.5).e2e).toBe(1)
})

describe('each SLO has the autocorrelation of its own figure', () => {
  const limits = [{ ...limit, limitNs: 150e6 }]
  const watched = [{ metric: 'ttft', clock: 'response' }] as const
  /** First tokens after 600 ms while the target freezes for 40 requests; a request fails now and then. */
  function frozen(failing: (index: number) => boolean) {
    const run = new RunMetrics({ ...config, limits, watched })
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
    return sloEvidence(run, measuredWindow(run, { warmUpNs: 0, untilNs: 40e9 }))
  }

  test('failures that do not occur are as many as they are, however alike the latencies', () => {
    const { errors, goodput, latency } = frozen(() => false)
    expect(errors).toMatchObject({ count: 0, of: 400, independent: 1 })
    expect(goodput).toMatchObject({ count: 360 })
    expect(goodput.independent).toBeLessThan(0.05)
    expect(latency(limit).independent).toBeLessThan(0.05)
    expect(
      decideSlo(
        parseSlo('errors < 1%'),
        frozen(() => false),
      ),
    ).toMatchObject({
      verdict: 'undecided',
      needed: 59,
    })
  })

  test('failures that come together count as few, while latencies that scatter count in full', () => {
    const { errors } = frozen((index) => index >= 100 && index < 120)
    expect(errors).toMatchObject({ count: 20 })
    expect(errors.independent).toBeLessThan(0.1)
    expect(frozen((index) => index % 20 === 0).errors.independent).toBe(1)
  })

  test('a freeze says little, and the message says so', () => {
    const row = decideSlo(
      parseSlo('ttft.p95 < 500ms'),
      frozen(() => false),
    )
    expect(row.verdict).toBe('undecided')
    expect(row.message).toMatch(
      /^40 of 400 requests were over 500 ms; p95 allows 5 %\. The 40 came close together \(effective sample \d+ of 400\), so they say little about other times\. \d+ more clean/,
    )
  })
})

test('gaps of one stream are worth one value', () => {
  const run = new RunMetrics(config)
  for (const record of answered) run.add(record)
  const found = sloEvidence(run, measuredWindow(run, { warmUpNs: 0, untilNs: 40e9 }))
  expect(found.latency({ ...limit, metric: 'icl', clock: 'service' })).toMatchObject({
    count: 400,
    independent: 0.25,
  })
})
