import { expect, test } from 'vitest'
import { loadReportOf } from '../../../reports/load/test-support/sketch.ts'
import { emptyCounts } from '../judging/integrity-recorder.ts'
import { RunMetrics } from '../metrics/run-metrics.ts'
import { mixEntry } from '../plan/mix.ts'
import { partSize } from '../plan/needs.ts'
import { type Arrival, arrivals, isOwnArrival, type PlanSpec, planHash } from '../plan/plan.ts'
import { packMeasurements } from '../report/outcome.ts'
import { summarize } from '../summary/summary.ts'
import { recordOf, shifted } from '../test-support/records.ts'
import { normal } from '../test-support/simulated-run.ts'
import { mergeShards } from './merge.ts'

const spec: PlanSpec = {
  seed: 'monday',
  mix: { name: 'two', entries: [entry('openai-stream'), entry('v3-stream')] },
  arrival: { kind: 'poisson', perSecond: 100 },
  durationNs: 10e9,
  misbehavior: { slowReader: 0, abort: 0, churn: 0 },
  idempotencyRaces: 0,
}
const cut = { warmUpNs: 0, untilNs: spec.durationNs }
const whole = summarize(metricsOf([...arrivals(spec)]), {
  ...{ slos: [], ...cut },
  transactions: spec.mix.entries.map(({ name }) => name),
})

test.each([1, 2, 8])('a plan in %i shards is the same plan with the same quantiles', (of) => {
  const [first, ...others] = Array.from({ length: of }, (_, index) => shardOf(index, of))
  if (first === undefined) throw new Error('no shards')
  const merged = mergeShards([first, ...others])
  expect(merged.plan.hash).toBe(planHash(spec))
  expect(merged.plan.ownTransactions).toBe(merged.plan.transactions)
  expect(merged.goodput).toEqual(whole.goodput)
  expect(merged.rates).toEqual(whole.rates)
  expect(merged.metrics).toEqual(whole.metrics)
  expect(merged.series).toEqual(whole.series)
  expect(merged.blocks).toEqual(whole.blocks)
})

function shardOf(index: number, of: number) {
  const own = [...arrivals(spec)].filter((arrival) => isOwnArrival(arrival, { index, of }))
  const metrics = metricsOf(own)
  const { plan, transactions } = loadReportOf()
  const [row] = transactions
  const report = loadReportOf({
    plan: {
      ...plan,
      hash: planHash(spec),
      shard: { index, of },
      transactions: partSize(spec, { index: 0, of: 1 }).transactions,
      ownTransactions: partSize(spec, { index, of }).transactions,
    },
    slo: [],
    transactions: spec.mix.entries.flatMap(({ name }) => (row ? [{ ...row, name }] : [])),
    measurements: packMeasurements({
      metrics: metrics.store(),
      integrity: [emptyCounts()],
      ids: { tally: {}, size: 0, duplicates: 0 },
      ...cut,
    }),
  })
  return { name: `${index}.json`, report }
}

function metricsOf(own: readonly Arrival[]): RunMetrics {
  const metrics = new RunMetrics({ durationNs: spec.durationNs, limits: [], stallNs: 5e8 })
  for (const { index, plannedNs, entry } of own) {
    const scale = Math.exp(0.4 * normal(index)())
    const [first, last] = [120e6 * scale, 420e6 * scale]
    const record = recordOf({
      timestamps: {
        ...{ firstGenerated: first, firstText: first, lastGenerated: last },
        ...{ terminal: last + 1e6, ended: last + 2e6 },
      },
      record: { transaction: spec.mix.entries[entry]?.name ?? '' },
    })
    metrics.add(shifted(record, index, plannedNs ?? 0))
  }
  return metrics
}

function entry(kind: 'openai-stream' | 'v3-stream') {
  return mixEntry({ name: kind, kind })
}
