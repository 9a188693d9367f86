import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SloRow } from '../../../reports/load/model/measures.ts'
import { type LoadReport, loadReport } from '../../../reports/load/model/report.ts'
import { loadReportOf } from '../../../reports/test-support/measurements.ts'
import { listenOnLoopback } from '../../client/test-support/listen-on-loopback.ts'
import { emptyCounts } from '../judging/integrity-recorder.ts'
import { RunMetrics } from '../metrics/run-metrics.ts'
import { packed } from '../metrics/samples/histogram.ts'
import type { RequestRecord } from '../record.ts'
import { loadOutcome } from '../report/outcome.ts'
import { noUnboundedAnswer } from '../slo/implied.ts'
import { parseSlos } from '../slo/parse.ts'
import { summarize } from '../summary/summary.ts'
import { plainTarget } from '../target.ts'
import { recordOf, shifted } from '../test-support/records.ts'
import { mergeShards } from './merge.ts'
import { type NamedReport, spreadNote, spreadProblem, startSpreadOf } from './merge-parts.ts'
import { type DatedAnswer, measureOffset, targetClock } from './target-clock.ts'

const durationNs = 10e9
const config = { durationNs, limits: [], stallNs: 5e8 }
const expressions = ['ttft.p90 < 250ms', 'errors < 2%']
const cut = { warmUpNs: 0, untilNs: durationNs }
const { transactions } = loadReportOf()
const options = { slos: parseSlos(expressions), ...cut, transactions }

/** Six hundred streams in ten seconds, each with a slightly later first token than the one before. */
const records = Array.from({ length: 600 }, (_, index) => {
  const late = recordOf({ timestamps: { firstGenerated: 101e6 + index * 1e5 } })
  return shifted(late, index, (index * durationNs) / 600)
})

describe('shard reports', () => {
  const [zero, one, two] = [shardOf(0), shardOf(1), shardOf(2)]
  const noShard = 'b.json is not a shard of a load run'
  const unreadable = 'b.json: its measurements cannot be read'

  test('merge to the report of a single generator', () => {
    const merged = mergeShards([zero, one, two])
    const whole = summarize(metricsOf(records), options)
    const { metrics, rates, goodput, stalls, errors, slo, series, heatMaps, blocks } = whole
    expect(merged.transactions).toEqual(whole.transactions)
    expect(merged).toMatchObject({ metrics, rates, goodput, stalls, errors, slo, series })
    expect(merged).toMatchObject({ heatMaps, blocks })
    expect(merged.metrics.find(({ name }) => name === 'ttft')?.response?.count).toBe(600)
    expect(merged.slo).not.toEqual(zero.report.slo)
  })

  test('merge in any order to a valid report', () => {
    const merged = mergeShards([two, zero, one])
    expect(merged.metrics).toEqual(mergeShards([zero, one, two]).metrics)
    expect(loadReport.parse(JSON.parse(JSON.stringify(merged)))).toEqual(merged)
    expect(merged.plan.shard).toBeNull()
    expect(merged.measurements).toBeUndefined()
    expect(merged.partial).toBeUndefined()
  })

  test('are invalid if the shards ran one after the other', () => {
    const startedAt = new Date(Date.parse(zero.report.startedAt) + 3_600_000).toISOString()
    const later = { ...one, report: { ...one.report, startedAt } }
    const merged = mergeShards([zero, later, two])
    expect(merged.generator.verdict).toBe('invalid')
    expect(merged.generator.reasons.join()).toContain('the shards did not run at the same time')
  })

  test('are partial if one is missing, and name it', () => {
    const merged = mergeShards([zero, two])
    expect(merged.partial).toEqual({ of: 3, missing: [1] })
    expect(merged.plan.ownTransactions).toBe(400)
  })

  test('drop an implied SLO of one shard if the whole run has none', () => {
    const implied: SloRow = {
      ...{ expression: 'no answer is truncated', verdict: 'missed', observed: 1, implied: true },
      ...{ low: null, high: null, unit: 'answer', needed: null, message: '' },
    }
    const cut = { ...one.report, slo: [...one.report.slo, implied] }
    const merged = mergeShards([zero, { name: 'cut.json', report: cut }])
    expect(merged.slo.map(({ expression }) => expression)).toEqual(expressions)
  })

  test('add up findings, transactions and workers', () => {
    const merged = mergeShards([zero, one])
    expect(merged.integrity).toMatchObject({
      streams: 400,
      findings: [{ id: 'OAI-STREAM-03', broken: 2, of: 400, first: { index: 0 } }],
    })
    expect(merged.outcome).toBe('violated')
    expect(merged.transactions).toMatchObject([
      { planned: 400, failed: 0, requests: [{ count: 400, completed: 400, failed: 0 }] },
    ])
    expect(merged.generator.workers.map(({ index }) => index)).toEqual([0, 1])
    expect(merged.generator.reasons[1]).toMatch(/^shard 1: its timestamps/)
  })

  test.each([
    ['of another plan', plan({ hash: 'f'.repeat(64) }), 'plans, 0123456789ab and ffffffffffff'],
    ['of another number', plan({ shard: { index: 1, of: 4 } }), 'numbers of shards, 3 and 4'],
    ['with other SLOs', { slo: [] }, 'different SLOs, ttft.p90 < 250ms; errors < 2% and none'],
    [
      'with another value of --strict',
      { config: { ...shardOf(1).report.config, strict: true } },
      'different values of --strict, false and true',
    ],
    [
      'of a shard that is already there',
      plan({ shard: { index: 0, of: 3 } }),
      'is shard 0, which was already given',
    ],
    ['that is a whole run', plan({ shard: null }), noShard],
    ['without its measurements', { measurements: undefined }, noShard],
    ['with measurements that cannot be read', { measurements: 'eA==' }, unreadable],
    [
      'with measurements of something else',
      { measurements: gzipSync('{"metrics":{}}').toString('base64') },
      unreadable,
    ],
  ])('reject a report %s', (_, more, message) => {
    const other = { ...one.report, ...more } as LoadReport
    expect(() => mergeShards([zero, { name: 'b.json', report: other }])).toThrow(message)
  })
})

function plan(more: Partial<LoadReport['plan']>): Partial<LoadReport> {
  return { plan: { ...shardOf(1).report.plan, ...more } }
}

function shardOf(index: number): NamedReport {
  const own = records.filter((record) => record.index % 3 === index)
  const metrics = metricsOf(own)
  const { slo, audits } = summarize(metrics, options)
  const occasion = { index, step: 0, atMs: index, operation: 'openai.chat', requestId: 'r' }
  const first = { ...occasion, event: 1, why: 'no role' }
  const tally = { 'OAI-STREAM-03': { broken: 1, held: 199, first } }
  const measurements = packed({
    metrics,
    integrity: [{ ...emptyCounts(), streams: 200, tally }],
    ids: { tally: {}, size: 200, duplicates: 0 },
    ...cut,
  })
  const { plan } = loadReportOf()
  const part = { shard: { index, of: 3 }, transactions: 600, ownTransactions: 200 }
  const report = loadReportOf({ plan: { ...plan, ...part }, slo, audits, measurements })
  return { name: `${index}.json`, report }
}

function metricsOf(own: readonly RequestRecord[]): RunMetrics {
  const metrics = new RunMetrics(config)
  for (const record of own) metrics.add({ ...record, transaction: 'openai-stream' })
  return metrics
}

const { integrity, generator, slo } = loadReportOf()
const violations = (level: 'required' | 'expected') => ({
  integrity: {
    ...integrity,
    findings: integrity.findings.map((finding) => ({ ...finding, level })),
  },
})
const invalid = { generator: { ...generator, verdict: 'invalid' as const } }
const rows = (verdict: 'met' | 'missed' | 'undecided', expression = 'e2e.p50 < 1s') => ({
  slo: slo.slice(0, 1).map((row) => ({ ...row, verdict, expression })),
})
const endless = rows('missed', noUnboundedAnswer)
const strict = { config: { strict: true } }

/** The worst finding decides, in the order of this table. */
test.each<[LoadReport['outcome'], Partial<Parameters<typeof loadOutcome>[0]>]>([
  ['violated', { ...violations('required'), ...invalid, ...endless }],
  ['violated', { ...violations('expected'), ...strict, ...invalid, ...endless }],
  ['missed', { ...violations('expected'), ...invalid, ...endless }],
  ['invalid', { ...violations('expected'), ...invalid, ...rows('missed') }],
  ['missed', { slo: [...rows('undecided').slo, ...rows('missed').slo] }],
  ['undecided', rows('undecided')],
  ['undecided', { ...rows('met'), partial: { of: 3, missing: [1] } }],
  ['undecided', { ...rows('met'), interrupted: true }],
  ['undecided', { ...rows('met'), faults: ['a worker ended early'] }],
  ['met', { ...violations('expected'), ...rows('met') }],
  ['met', { ...strict, slo: [] }],
])('a run is %s', (outcome, found) => {
  const whole = { generator, slo: [], config: {}, interrupted: false, faults: [] }
  const held = { integrity: { ...integrity, findings: [] }, ...whole }
  expect(loadOutcome({ ...held, ...found })).toBe(outcome)
})

const way = fc.double({ min: 0, max: 40, noNaN: true })

describe('the clock offset of a target', () => {
  test('is within the stated uncertainty, at most the round-trip time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: -5e6, max: 5e6, noNaN: true }),
        fc.array(fc.tuple(way, way), { minLength: 36, maxLength: 36 }),
        async (offset, ways) => {
          const found = await measureOffset(simulated([offset], ways))
          expect(Math.abs((found?.offsetMs ?? Number.NaN) - offset)).toBeLessThanOrEqual(
            (found?.uncertaintyMs ?? 0) + 1e-6,
          )
          const slowest = Math.max(...ways.map(([there, back]) => there + back))
          expect(found?.uncertaintyMs).toBeLessThan(slowest + 2)
        },
      ),
    )
  })

  test('is null if clocks disagree or no response has a date', async () => {
    const ways = Array.from({ length: 36 }, (): [number, number] => [1, 1])
    expect(await measureOffset(simulated([0, 5000], ways))).toBeNull()
    expect(await measureOffset({ ...simulated([0], ways), ask: async () => null })).toBeNull()
  })

  test('is near zero for a server on this machine', async () => {
    const server = await listenOnLoopback(createServer((_, response) => response.end()))
    const target = plainTarget(`http://127.0.0.1:${server.port}`, 'key')
    const clock = await targetClock(target, new AbortController().signal)
    await server.close()
    expect(Math.abs(clock?.offsetMs ?? Number.NaN)).toBeLessThan((clock?.uncertaintyMs ?? 0) + 50)
  })
})

const at = (ms: number, clock: LoadReport['clock']) =>
  loadReportOf({ startedAt: new Date(1_800_000_000_000 + ms).toISOString(), clock })
const clock = (offsetMs: number, uncertaintyMs = 3) => ({ offsetMs, uncertaintyMs, requests: 20 })

describe('start times of shards', () => {
  test('are compared by the clock of the target', () => {
    const spread = startSpreadOf([at(0, clock(0)), at(5, clock(240)), at(10, clock(20))])
    expect(spread).toEqual({
      ...{ count: 3, localSpreadMs: 10, skewMs: 240 },
      ...{ spreadMs: 245, uncertaintyMs: 6, boundMs: 251 },
    })
    expect(spreadProblem(spread, 60_000)?.reason).toMatch(
      /^the shards started 239 ms or more apart/,
    )
    expect(spreadNote(spread)).toContain('at most 251 ms longer')
  })

  test('are not a reason if they are equal within the uncertainty', () => {
    const spread = startSpreadOf([at(0, clock(0)), at(0, clock(103))])
    expect(spreadProblem(spread, 60_000)).toBeNull()
  })

  test('are unknown if the clock offset of one shard is', () => {
    const spread = startSpreadOf([at(0, clock(0)), at(700, null)])
    expect(spread).toMatchObject({ localSpreadMs: 700, skewMs: null, boundMs: null })
    expect(spreadProblem(spread, 60_000)?.verdict).toBe('degraded')
    expect(spreadNote(spread)).toMatch(/is unknown/)
  })
})

test.each([
  ['valid by the clock of the target, whatever their own', 60_000, 60_000, -60_000, undefined],
  [
    'invalid by their own clocks, if that of the target is unknown',
    60_000,
    60_000,
    null,
    'invalid',
  ],
  ['invalid after a twentieth of the duration', 60_000, 3_000, 0, 'invalid'],
  ['degraded before', 60_000, 2_999, 0, 'degraded'],
  ['degraded in a short run', 2_000, 499, 0, 'degraded'],
])('shards that start apart are %s', (_, durationMs, apartMs, offsetMs, verdict) => {
  const clocks = offsetMs === null ? [null, null] : [clock(0, 0), clock(offsetMs, 0)]
  const spread = startSpreadOf([at(0, clocks[0]), at(apartMs, clocks[1])])
  expect(spreadProblem(spread, durationMs)?.verdict).toBe(verdict)
})

/** A target with these clocks in turn, on a network with these one-way times. */
function simulated(offsets: readonly number[], ways: readonly (readonly [number, number])[]) {
  let time = 1_800_000_000_000.5
  let next = 0
  return {
    now: () => time,
    sleep: async (ms: number) => {
      time += ms
    },
    ask: async (): Promise<DatedAnswer> => {
      const [there, back] = ways[next % ways.length] ?? [0, 0]
      const offset = offsets[next % offsets.length] ?? 0
      next++
      const sentMs = time
      const dateMs = 1000 * Math.floor((time + there + offset) / 1000)
      time += there + back
      return { sentMs, receivedMs: time, dateMs }
    },
  }
}
