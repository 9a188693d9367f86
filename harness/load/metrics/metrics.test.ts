import { createServer } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { forAll, forSome } from '../../../contract/test-support/for-all.ts'
import { urlOf } from '../../client/test-support/listen-on-loopback.ts'
import { failureKinds, type RequestOutcome, type RequestRecord } from '../record.ts'
import type { RequestLimit } from '../slo/slo.ts'
import { summarize } from '../summary/summary.ts'
import { driven } from '../test-support/drive.ts'
import { anyRecord, recordOf } from '../test-support/records.ts'
import { TransactionStats } from './outcome-counts.ts'
import { RunMetrics } from './run-metrics.ts'
import { packed, unpacked } from './samples/histogram.ts'
import { Timeline } from './timeline.ts'

const limits: readonly RequestLimit[] = [
  { metric: 'ttft', clock: 'response', limitNs: 500e6, inclusive: false },
]
const planned = { name: 'chat', surface: 'v3', share: 1 } as const
const config = { durationNs: 20e9, limits, stallNs: 500e6 }

function measured(records: readonly RequestRecord[]): RunMetrics {
  const run = new RunMetrics(config)
  for (const record of records) run.add(record)
  return run
}

/** No two requests of a run have the same place in the plan. */
const records = fc.uniqueArray(anyRecord, {
  maxLength: 60,
  selector: ({ index, step }) => 2 * index + step,
})
const dataOf = (run: RunMetrics) => ({ ...run, sample: run.sample.blocks() })
const summaryOf = (run: RunMetrics) =>
  summarize(run, { warmUpNs: 0, untilNs: 20e9, slos: [], transactions: [planned] })

describe('parts of the metrics', () => {
  test('merge to the whole in any split and any order', () => {
    const parts = records.chain((all) =>
      fc.record({
        all: fc.constant(all),
        order: fc.shuffledSubarray(all, { minLength: all.length }),
        workers: fc.integer({ min: 1, max: 4 }),
      }),
    )
    forSome(50, parts, ({ all, order, workers }) => {
      const merged = new RunMetrics(config)
      for (let worker = 0; worker < workers; worker++) {
        merged.merge(measured(order.filter((_, position) => position % workers === worker)))
      }
      expect(dataOf(merged)).toEqual(dataOf(measured(all)))
    })
  })

  test('are the same after being stored as JSON, as is their summary', () => {
    forSome(5, records, (all) => {
      const run = measured(all)
      const { metrics } = unpacked(packed({ metrics: run }))
      const restored = new RunMetrics(metrics.config).merge(metrics)
      expect(dataOf(restored)).toEqual(dataOf(run))
      expect(summaryOf(restored)).toEqual(summaryOf(run))
    })
  })

  test('do not merge if their settings differ', () => {
    const other = new RunMetrics({ ...config, stallNs: 1 })
    expect(() => other.merge(measured([]))).toThrow(RangeError)
  })
})

test('each request is counted once, with any outcome', () => {
  forSome(20, records, fc.nat(5), (all, missed) => {
    const run = measured(all)
    for (let i = 0; i < missed; i++) run.addNotDispatched(i * 1e9, 'chat')
    const { audits } = summarize(run, {
      ...{ warmUpNs: 0, untilNs: 20e9, slos: [], transactions: [] },
    })
    const verdicts = audits.map(({ name, verdict }) => `${name} ${verdict}`)
    expect(verdicts.slice(1)).toEqual(['conservation-dispatched pass', 'stamp-order pass'])
  })
})

vi.setConfig({ testTimeout: 60_000 })

const outcomes = fc
  .constantFrom('ok' as const, 'open' as const, ...failureKinds)
  .map((kind): RequestOutcome => {
    return kind === 'ok' || kind === 'open'
      ? { kind }
      : { kind, counter: 'otherErrors', detail: '' }
  })

/** Ends of a transaction, one for each of its requests. */
type Ends = readonly RequestOutcome[]
const hasFailed = (ends: Ends) => ends.some((outcome) => 'detail' in outcome)
const isOpen = (ends: Ends) => ends.some(({ kind }) => kind === 'open')

function recordsOf(ends: Ends, index: number): readonly RequestRecord[] {
  return ends.map((outcome, step) => {
    const before = ends.slice(0, step)
    const earlier: RequestRecord['earlier'] = hasFailed(before)
      ? 'failed'
      : isOpen(before)
        ? 'open'
        : undefined
    const record = { index, step, outcome, ...(earlier === undefined ? {} : { earlier }) }
    return recordOf({ record })
  })
}

function countsOf(records: Iterable<RequestRecord>) {
  const stats = new TransactionStats()
  for (const record of records) stats.add(record)
  const [row] = stats.rows([planned], () => [])
  return (
    row && { planned: row.planned, completed: row.completed, failed: row.failed, open: row.open }
  )
}

test('a transaction counts once: as failed, as open or as completed', () => {
  forAll(fc.array(fc.array(outcomes, { minLength: 1, maxLength: 4 })), (all) => {
    const failed = all.filter(hasFailed).length
    const open = all.filter((transaction) => !hasFailed(transaction) && isOpen(transaction)).length
    expect(countsOf(all.flatMap(recordsOf))).toEqual({
      ...{ planned: all.length, failed, open },
      completed: all.length - failed - open,
    })
  })
})

test('a race whose requests both fail is one failed transaction', async () => {
  // A chat can be created, nothing else works.
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.url === '/api/v3/chat') {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ id: crypto.randomUUID(), name: 'chat' }))
      } else {
        request.socket.destroy()
      }
    })
  })
  const { records } = await driven({
    ...{ url: await urlOf(server), kind: 'v3-stream', races: 1 },
    ...{ connections: 10, perSecond: 3, seconds: 1.5 },
  })
  const failures = records.filter(({ outcome }) => 'detail' in outcome)
  const transactions = new Set(failures.map(({ index }) => index)).size
  // A chat that is created when the run ends has no race.
  expect(transactions).toBeGreaterThan(0)
  expect(failures.length).toBe(2 * transactions)
  const own = records.map((record) => ({ ...record, transaction: planned.name }))
  expect(countsOf(own)).toMatchObject({ failed: transactions, open: 0 })
})

test('a million failed transactions keep less than 10 MB', () => {
  const record = recordOf({
    record: { outcome: { kind: 'connect', counter: 'otherErrors', detail: 'ECONNREFUSED' } },
  })
  const stats = new TransactionStats()
  const before = retainedBytes()
  for (let index = 0; index < 1e6; index += 1) stats.add({ ...record, index })
  expect(retainedBytes() - before).toBeLessThan(10e6)
  expect(stats.rows([planned], () => [])).toMatchObject([{ planned: 1e6, failed: 1e6, open: 0 }])
})

function retainedBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

test('requests in flight are computed per interval', () => {
  const timeline = new Timeline(100)
  timeline.addInFlight(30, 250)
  timeline.addInFlight(150, 180)
  // 70 of the first interval; 100 + 30 of the second; 50 of the third.
  expect(timeline.inFlightNs(0, 1)).toBe(70)
  expect(timeline.inFlightNs(1, 2)).toBe(130)
  expect(timeline.inFlightNs(2, 3)).toBe(50)
  expect(timeline.rows().map(({ inFlight }) => inFlight)).toEqual([1, 1, 0])
  expect(timeline.sum(0, 3)).toMatchObject({ started: 2, ended: 2, residenceNs: 250 })
  expect([0, 1, 2, 3].map((index) => timeline.inFlightAt(index))).toEqual([0, 1, 1, 0])
})

test('requests in flight integrate to the sum of their overlaps with the window', () => {
  const flights = fc.array(fc.tuple(fc.nat(1000), fc.nat(1000)), { maxLength: 40 })
  const window = fc.tuple(fc.nat(20), fc.nat(20))
  forAll(flights, window, fc.integer({ min: 1, max: 97 }), (all, [a, b], width) => {
    const [from, to] = [Math.min(a, b), Math.max(a, b)]
    const timeline = new Timeline(width)
    let expected = 0
    for (const [start, lasted] of all) {
      timeline.addInFlight(start, start + lasted)
      const end = Math.min(start + lasted, to * width)
      expected += Math.max(0, end - Math.max(start, from * width))
    }
    expect(timeline.inFlightNs(from, to)).toBe(expected)
  })
})
