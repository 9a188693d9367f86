import { describe, expect, test } from 'vitest'
import { RunMetrics } from '../metrics/run-metrics.ts'
import type { RequestRecord } from '../record.ts'
import { recordOf, shifted } from '../test-support/records.ts'
import { summarize } from './summary.ts'

const durationNs = 10e9
const config = { durationNs, limits: [], stallNs: 5e8, growing: ['chat'] }

/** Record, of the n-th chat, of the request at a step; first tokens come later from turn to turn. */
function requestOf(index: number, step: number, more: Partial<RequestRecord> = {}): RequestRecord {
  const record = recordOf({
    timestamps: { firstGenerated: 101e6 + step * 50e6 },
    record: { step, operation: 'v3.generate', surface: 'v3', ...more },
  })
  return shifted(record, index, index * 40e6)
}

function turnsOf(records: readonly RequestRecord[]) {
  const run = new RunMetrics(config)
  for (const record of records) run.add(record)
  const restored = RunMetrics.from(JSON.parse(JSON.stringify(run.store())))
  const whole = { slos: [], warmUpNs: 0, untilNs: durationNs, transactions: ['chat'] }
  const summary = summarize(restored, whole)
  expect(summarize(run, whole)).toEqual(summary)
  return summary
}

const indexes = Array.from({ length: 100 }, (_, index) => index)
const generate = { operation: 'v3.generate' }

describe('growing chats', () => {
  test('are told apart by turn: the first, the second, and all later ones', () => {
    const summary = turnsOf(
      indexes.flatMap((index) => [0, 1, 2, 3].map((step) => requestOf(index, step))),
    )
    expect(summary.turns.map(({ from, to, requests }) => [from, to, requests])).toEqual([
      [1, 1, 100],
      [2, 2, 100],
      [3, null, 200],
    ])
    const medians = summary.turns.map(
      ({ metrics }) =>
        metrics.find(({ name }) => name === 'ttft')?.service?.quantiles.find(({ q }) => q === 0.5)
          ?.value ?? 0,
    )
    // 100 ms to the first token of the first turn, and 50 ms more with each turn.
    expect(medians.map((ms) => Math.round(ms / 10) * 10)).toEqual([100, 150, 200])
    const all = summary.metrics.find(({ name }) => name === 'ttft')?.service?.count
    expect(all).toBe(400)
    const own = summary.transactionMetrics.get('chat')?.find(({ name }) => name === 'ttft')
    expect(own?.service?.count).toBe(400)
  })

  test('that are made on the way begin with the turn after that', () => {
    const made = { operation: 'v3.createChat', form: 'json' } as const
    const summary = turnsOf(
      indexes.flatMap((index) => [
        requestOf(index, 0, made),
        requestOf(index, 1, generate),
        requestOf(index, 2, generate),
      ]),
    )
    expect(summary.turns.map(({ from, requests }) => [from, requests])).toEqual([
      [1, 100],
      [2, 100],
    ])
  })

  test('are none where every chat has one turn by its kind', () => {
    const summary = turnsOf(indexes.map((index) => requestOf(index, 0, { transaction: 'history' })))
    expect(summary.turns).toEqual([])
  })
})
