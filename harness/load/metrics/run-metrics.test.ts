import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RequestRecord } from '../record.ts'
import type { RequestLimit } from '../slo/slo.ts'
import { summarize } from '../summary/summary.ts'
import { anyRecord, recordOf } from '../test-support/records.ts'
import { MetricsMismatchError, RunMetrics } from './run-metrics.ts'

const limits: readonly RequestLimit[] = [
  { metric: 'ttft', clock: 'response', limitNs: 500e6, inclusive: false },
]
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
const summaryOf = (run: RunMetrics) =>
  summarize(run, { warmUpNs: 0, untilNs: 20e9, slos: [], transactions: ['chat', 'history'] })

describe('parts', () => {
  test('merge to the whole, however they were cut and in whatever order they came', () => {
    const parts = records.chain((all) =>
      fc.record({
        all: fc.constant(all),
        order: fc.shuffledSubarray(all, { minLength: all.length }),
        workers: fc.integer({ min: 1, max: 4 }),
      }),
    )
    fc.assert(
      fc.property(parts, ({ all, order, workers }) => {
        const merged = new RunMetrics(config)
        for (let worker = 0; worker < workers; worker++) {
          merged.merge(measured(order.filter((_, position) => position % workers === worker)))
        }
        expect(merged.store()).toEqual(measured(all).store())
      }),
      { numRuns: 50 },
    )
  })

  test('that were stored as JSON are the same, and so is what is told of them', () => {
    fc.assert(
      fc.property(records, (all) => {
        const run = measured(all)
        const restored = RunMetrics.from(JSON.parse(JSON.stringify(run.store())))
        expect(restored.store()).toEqual(run.store())
        expect(summaryOf(restored)).toEqual(summaryOf(run))
      }),
      { numRuns: 5 },
    )
  })

  test('of different settings do not merge', () => {
    const other = new RunMetrics({ ...config, stallNs: 1 })
    expect(() => other.merge(measured([]))).toThrow(MetricsMismatchError)
  })
})

describe('conservation', () => {
  test('every request is counted once, whatever became of it', () => {
    fc.assert(
      fc.property(records, fc.nat(5), (all, missed) => {
        const run = measured(all)
        for (let i = 0; i < missed; i++) run.addNotDispatched(i * 1e9, 'chat')
        const { audits } = summarize(run, {
          ...{ warmUpNs: 0, untilNs: 20e9, slos: [], transactions: [] },
          planned: all.length + missed,
        })
        const verdicts = audits.map(({ name, verdict }) => `${name} ${verdict}`)
        expect(verdicts.slice(1)).toEqual([
          'conservation-planned pass',
          'conservation-dispatched pass',
          'stamp-order pass',
        ])
      }),
      { numRuns: 20 },
    )
  })

  test('a lost request is missed', () => {
    const run = measured([recordOf()])
    const { audits } = summarize(run, {
      ...{ warmUpNs: 0, untilNs: 20e9, slos: [], transactions: [] },
      planned: 2,
    })
    expect(audits.find(({ name }) => name === 'conservation-planned')).toMatchObject({
      verdict: 'fail',
      message: '2 planned = 1 dispatched + 0 not dispatched does not hold: 1 unaccounted for.',
    })
  })
})
