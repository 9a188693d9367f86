import { describe, expect, test } from 'vitest'
import { forAll } from '../../../../contract/test-support/for-all.ts'
import { type MetricName, metricNames } from '../../../../reports/load/model/measures.ts'
import { failure, type RequestRecord } from '../../record.ts'
import { anyRecord, type RecordParts, recordOf } from '../../test-support/records.ts'
import {
  forEachCensored,
  forEachContentArrival,
  forEachLatency,
  isOrdered,
  latencyOf,
} from './latency-definitions.ts'

type Visit = typeof forEachLatency

function visited(visit: Visit, record: RequestRecord): Record<string, number> {
  const found: Record<string, number> = {}
  visit(record, (metric, clock, ns) => {
    found[`${clock} ${metric}`] = ns / 1e6
  })
  return found
}

describe('latencies of a stream', () => {
  test('match a calculation by hand', () => {
    expect(visited(forEachLatency, recordOf())).toEqual({
      ...{ 'service ttfb': 40, 'response ttfb': 41, 'service ttfe': 50, 'response ttfe': 51 },
      ...{ 'service ttft': 100, 'response ttft': 101, 'service ttfo': 200, 'response ttfo': 201 },
      // From 101 to 251 ms, 11 tokens: 150 / 10.
      ...{ 'service thinking': 100, 'service tpot': 15, 'service e2e': 259, 'response e2e': 260 },
      ...{ 'service close_lag': 2, 'service max_gap': 100 },
    })
  })

  const none = { firstGenerated: null, firstText: null, lastGenerated: null }
  const oneRead = { lastGenerated: 101e6, firstText: 101e6 }
  test.each<[string, RecordParts, Partial<Record<MetricName, number | null>>]>([
    ['that opened a connection', { counts: { newConnection: true } }, { connect: 0.5 }],
    ['on an open connection', {}, { connect: null }],
    [
      'of a text that arrived in one read',
      { timestamps: oneRead, counts: { outputTokens: 20 }, record: { gapsNs: [] } },
      { ttft: 100, tpot: null, max_gap: null },
    ],
    ['without a usage', { counts: { outputTokens: null } }, { tpot: null }],
    ['of no tokens', { counts: { outputTokens: 0 } }, { tpot: null }],
    ['of one token', { counts: { outputTokens: 1 } }, { tpot: null }],
    [
      'with reasoning that was counted but not streamed',
      { counts: { outputTokens: 111, streamedTokens: 11 } },
      { tpot: 15 },
    ],
    ['that is empty', { timestamps: none, record: { gapsNs: [] } }, { ttft: null, e2e: 259 }],
    [
      'that is truncated',
      { timestamps: { terminal: null }, record: { outcome: failure('truncated', 'cut') } },
      { ttft: 100, e2e: null },
    ],
    ['with a violation', { record: { outcome: failure('integrity', 'V3-SEQ-01') } }, { e2e: 259 }],
  ])('%s', (_, parts, expected) => {
    for (const metric of metricNames.filter((name) => name in expected)) {
      const ns = latencyOf(recordOf(parts), metric, 'service')
      expect(ns === null ? null : ns / 1e6).toBe(expected[metric])
    }
  })

  test('are missing for error responses and abandoned requests', () => {
    const refused = recordOf({
      record: { status: 503, outcome: failure('status', '503', 'serverErrors') },
    })
    const left = recordOf({ record: { outcome: { kind: 'abandoned', why: 'abort' } } })
    expect([visited(forEachLatency, refused), visited(forEachLatency, left)]).toEqual([{}, {}])
  })

  test('are never negative, and tpot is never 0', () => {
    forAll(anyRecord, (record) => {
      expect(isOrdered(record)).toBe(true)
      forEachLatency(record, (metric, _clock, ns) => {
        expect(ns).toBeGreaterThanOrEqual(0)
        if (metric === 'tpot') expect(ns).toBeGreaterThan(0)
      })
    })
  })

  test('response time is service time plus the wait before sending', () => {
    forAll(anyRecord, (record) => {
      const { sent, planned } = record.timestamps
      for (const metric of ['ttfb', 'ttfe', 'ttft', 'ttfo', 'e2e'] as const) {
        const service = latencyOf(record, metric, 'service')
        const response = latencyOf(record, metric, 'response')
        if (sent === null) expect(service).toBeNull()
        else if (service !== null) expect(response).toBe(service + sent - planned)
      }
    })
  })
})

describe('a censored latency', () => {
  const open = recordOf({
    timestamps: { firstText: null, lastGenerated: 101e6, terminal: null, ended: 5001e6 },
    record: { outcome: { kind: 'open' }, gapsNs: [] },
  })

  test('is at least the time until the end of the request', () => {
    expect(visited(forEachCensored, open)).toEqual({
      ...{ 'service e2e': 5000, 'response e2e': 5001 },
      ...{ 'service ttfo': 5000, 'response ttfo': 5001 },
    })
  })

  test('excludes a measured value of the same metric', () => {
    forAll(anyRecord, (record) => {
      const names = Object.keys(visited(forEachLatency, record))
      const running = Object.keys(visited(forEachCensored, record))
      expect(running.filter((key) => names.includes(key))).toEqual([])
      if (record.outcome.kind === 'ok') expect(running).toEqual([])
    })
  })

  test('of a request that timed out before it was sent starts at its planned time', () => {
    const waiting = recordOf({
      timestamps: {
        ...{ connected: null, sent: null, headers: null, firstEvent: null, firstGenerated: null },
        ...{ firstText: null, lastGenerated: null, terminal: null, ended: 3000e6 },
      },
      record: { status: null, gapsNs: [], outcome: failure('timeout', 'before headers') },
    })
    expect(visited(forEachCensored, waiting)).toMatchObject({ 'response ttft': 3000 })
    expect(visited(forEachCensored, waiting)).not.toHaveProperty('service ttft')
  })
})

test('isOrdered detects timestamps out of order', () => {
  expect(isOrdered(recordOf({ timestamps: { headers: 0.9e6 } }))).toBe(false)
  expect(isOrdered(recordOf({ timestamps: { ended: 259e6 } }))).toBe(false)
  expect(isOrdered(recordOf({ record: { gapsNs: [-1] } }))).toBe(false)
})

describe('content arrivals', () => {
  test('have the times of the reads and add up to the totals', () => {
    const arrivals: number[][] = []
    forEachContentArrival(recordOf(), (at, tokens, bytes, gap) => {
      arrivals.push([at / 1e6, tokens, bytes, gap ?? -1])
    })
    // 11 tokens over 5 pieces: floor of 2.2, 4.4, 6.6, 8.8, 11.
    expect(arrivals).toEqual([
      [101, 2, 200, -1],
      [201, 2, 200, 100e6],
      [221, 2, 200, 20e6],
      [221, 2, 200, 0],
      [251, 3, 200, 30e6],
    ])
  })

  test('of any record come after dispatch and add up to its counts', () => {
    forAll(anyRecord, (record) => {
      let tokens = 0
      let bytes = 0
      let arrived = false
      forEachContentArrival(record, (at, some, size) => {
        arrived = true
        tokens += some
        bytes += size
        expect(at).toBeGreaterThanOrEqual(record.timestamps.dispatched)
      })
      if (!arrived) return
      expect(bytes).toBe(record.counts.bytes)
      expect(tokens).toBe(record.status === 200 ? (record.counts.outputTokens ?? 0) : 0)
    })
  })
})
