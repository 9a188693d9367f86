import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toHtml } from '../../../reports/document/html.ts'
import { loadDocument } from '../../../reports/load/document.ts'
import { loadReportOf } from '../../../reports/load/test-support/sketch.ts'
import { quantileEstimate, sampleOf } from '../statistics/quantile-interval.ts'
import { decideSlo, type SloEvidence } from './decide.ts'
import { parseSlo } from './parse.ts'

const nothing = { count: 0, of: 0, independent: 1 }
const evidence: SloEvidence = {
  latency: () => ({
    ...{ decided: 0, over: 0, independent: 1, meanNs: null, deviationNs: null, count: 0 },
    quantile: (q) => quantileEstimate(sampleOf([]), q),
  }),
  ...{ goodput: nothing, errors: nothing, windowNs: 1e9, completed: 0, outputTokens: 0 },
}
const rowOf = (expression: string) => decideSlo(parseSlo(expression), evidence)

const units = { us: 0.001, µs: 0.001, μs: 0.001, ms: 1, s: 1000, min: 60_000 }
const limit = fc.record({
  prefix: fc.constantFrom('', 'response.', 'service.'),
  metric: fc.constantFrom('ttft', 'e2e'),
  statistic: fc.constantFrom('p50', 'p95', 'p99.9', 'mean'),
  sign: fc.constantFrom('<', '<='),
  value: fc.integer({ min: 1, max: 5000 }),
  unit: fc.constantFrom(...(['us', 'µs', 'μs', 'ms', 's', 'min'] as const)),
  isGoodput: fc.boolean(),
})

test('charts draw the limit that was parsed, whatever its unit', () => {
  fc.assert(
    fc.property(limit, ({ prefix, metric, statistic, sign, value, unit, isGoodput }) => {
      const subject = `${prefix}${metric}`
      const expression = isGoodput
        ? `goodput(${subject} ${sign} ${value}${unit}) > 99%`
        : `${subject}.${statistic} ${sign} ${value}${unit}`
      const row = rowOf(expression)
      const clock = prefix === 'service.' ? 'service' : 'response'
      const ms = value * units[unit]
      expect(row.limits).toEqual([
        {
          ...{ metric, clock, unit: 'ms', value: expect.closeTo(ms, 6), inclusive: sign === '<=' },
          statistic: isGoodput ? null : statistic,
        },
      ])
      const drawn = limitsIn(toHtml(loadDocument(loadReportOf({ slo: [row] }))))
      const charts = ['ttft-heat', 'ttft-time', 'e2e-time'].filter(
        (id) => clock === 'response' && id.startsWith(metric),
      )
      expect(Object.keys(drawn).sort()).toEqual(charts)
      for (const values of Object.values(drawn)) expect(values).toEqual([expect.closeTo(ms, 6)])
    }),
  )
})

test('a gap between tokens is drawn, and what limits no latency has no limits', () => {
  const slo = ['icl.p99 < 80ms', 'errors < 1%', 'goodput > 99%', 'rate > 10/s'].map(rowOf)
  expect(slo.map(({ limits }) => limits?.length)).toEqual([1, undefined, undefined, undefined])
  expect(limitsIn(toHtml(loadDocument(loadReportOf({ slo }))))).toEqual({ 'icl-time': [80] })
})

/** Values of the limits by chart. */
function limitsIn(html: string): Record<string, number[]> {
  const [, json = ''] =
    /<script type="application\/json" id="charts">(.*?)<\/script>/s.exec(html) ?? []
  const charts: { id: string; limits?: { value: number }[] }[] = JSON.parse(json)
  return Object.fromEntries(
    charts.flatMap(({ id, limits = [] }) =>
      limits.length === 0 ? [] : [[id, limits.map(({ value }) => value)]],
    ),
  )
}
