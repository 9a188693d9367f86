import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forSome } from '../../../contract/test-support/for-all.ts'
import { parseSlo, parseSlos, SloSyntaxError } from './parse.ts'
import { goodputLimits, type Slo } from './slo.ts'

const latency = { kind: 'latency', clock: 'response', inclusive: false } as const
const service = { ...latency, clock: 'service' } as const
const at = (quantile: number) => ({ statistic: { quantile } })

describe('parseSlo', () => {
  test.each<[string, Partial<Slo>]>([
    ['ttft.p95 < 500ms', { ...latency, metric: 'ttft', ...at(0.95), limitNs: 5e8 }],
    ['e2e.p99 <= 3s', { ...latency, metric: 'e2e', ...at(0.99), limitNs: 3e9, inclusive: true }],
    ['response.ttft.p99 < 1s', { ...latency, metric: 'ttft', ...at(0.99), limitNs: 1e9 }],
    ['service.e2e.p99.9<1.5min', { ...service, metric: 'e2e', ...at(0.999), limitNs: 90e9 }],
    ['tpot.mean < 40ms', { ...service, metric: 'tpot', statistic: 'mean', limitNs: 4e7 }],
    ['  icl.p50<250us ', { ...service, metric: 'icl', ...at(0.5), limitNs: 250e3 }],
    ['goodput > 99%', { kind: 'goodput', limits: null, minShare: 0.99 }],
    ['errors < 1%', { kind: 'errors', maxShare: 0.01 }],
    ['rate > 10/s', { kind: 'rate', of: 'requests', perSecond: 10, inclusive: false }],
    ['tokens >= 600 / min', { kind: 'rate', of: 'tokens', perSecond: 10, inclusive: true }],
  ])('%s', (text, expected) => {
    expect(parseSlo(text)).toEqual({ ...expected, expression: text.trim() })
  })

  test('parses the limits of a goodput expression', () => {
    expect(parseSlo('goodput(ttft < 500ms, service.e2e <= 3s) > 99%')).toMatchObject({
      limits: [
        { metric: 'ttft', clock: 'response', limitNs: 5e8, inclusive: false },
        { metric: 'e2e', clock: 'service', limitNs: 3e9, inclusive: true },
      ],
    })
  })
})

describe('a syntax error', () => {
  test('names the position and the allowed input', () => {
    const wrong = [
      '',
      'tttf.p95 < 500ms',
      'service.p95 < 500ms',
      'service ttft < 1s',
      'response.tpot.p95 < 40ms',
      'ttft < 500ms',
      'ttft.p95',
      'ttft.p100 < 1s',
      'ttft.max < 1s',
      'ttft.p95 > 500ms',
      'ttft.p95 < ',
      'ttft.p95 < 500',
      'ttft.p95 < 500 parsecs',
      'ttft.p95 < 0ms',
      'ttft.p95 < 500ms and more',
      'goodput < 99%',
      'goodput > 99',
      'goodput > 100%',
      'errors < 0%',
      'goodput(ttft < 1s > 99%',
      'goodput(icl < 1s) > 99%',
      'goodput() > 99%',
      'rate > 10',
    ]
    expect(wrong.map(mistakeIn)).toMatchInlineSnapshot(`
      [
        "0: Expected an SLO such as "ttft.p95 < 500ms", "goodput > 99%", "errors < 1%" or "rate > 10/s".",
        "0: Expected one of connect, ttfb, ttfe, ttft, ttfo, thinking, icl, tpot, e2e, close_lag, max_gap, goodput, errors, rate, tokens.",
        "8: Expected one of connect, ttfb, ttfe, ttft, ttfo, thinking, icl, tpot, e2e, close_lag, max_gap, goodput, errors, rate, tokens.",
        "8: Expected ".", as in service.ttft.p95.",
        "0: tpot starts at an event of the answer, so it has no response time; only ttfb, ttfe, ttft, ttfo, e2e have one.",
        "5: Expected a statistic: ttft.p50, ttft.p99, ttft.p99.9 or ttft.mean.",
        "8: Expected < or <=: ttft takes an upper limit.",
        "5: Expected a percentile between p0 and p100.",
        "5: Expected a statistic: ttft.p50, ttft.p99, ttft.p99.9 or ttft.mean.",
        "9: Expected < or <=: ttft takes an upper limit.",
        "11: Expected a duration such as 500ms or 3s.",
        "14: Expected a unit of time: us, ms, s or min.",
        "15: Expected a unit of time: us, ms, s or min.",
        "11: Expected more than 0.",
        "17: Expected nothing more. Pass each SLO with its own --slo.",
        "8: Expected > or >=: goodput takes a lower limit.",
        "12: Expected "%".",
        "10: Expected more than 0% and less than 100%: no sample can show that something always or never happens.",
        "9: Expected more than 0% and less than 100%: no sample can show that something always or never happens.",
        "18: Expected "," and another limit, or ")".",
        "8: icl measures gaps, of which a request has many; use max_gap to limit the longest.",
        "8: Expected one of connect, ttfb, ttfe, ttft, ttfo, thinking, icl, tpot, e2e, close_lag, max_gap.",
        "9: Expected /s or /min.",
      ]
    `)
  })

  test('marks the position in the text', () => {
    expect(() => parseSlo('ttft.p95 < 500')).toThrow(
      'Expected a unit of time: us, ms, s or min.\n  ttft.p95 < 500\n                ^',
    )
  })

  test('is always within the text', () => {
    const piece = fc.constantFrom(
      ...['ttft', 'goodput', 'errors', 'rate', 'service', '.', 'p95', 'mean', '<', '>', '='],
      ...['(', ')', ',', '500', '99', '%', 'ms', '/s', ' '],
    )
    const text = fc.oneof(
      fc.array(piece, { maxLength: 9 }).map((all) => all.join('')),
      fc.string(),
    )
    forSome(2000, text, (expression) => {
      try {
        parseSlo(expression)
      } catch (error) {
        if (!(error instanceof SloSyntaxError)) throw error
        expect(error.at).toBeGreaterThanOrEqual(0)
        expect(error.at).toBeLessThanOrEqual(expression.length)
      }
    })
  })
})

describe('goodput limits', () => {
  test('are the limits of the latency tails of the other SLOs', () => {
    const slos = parseSlos([
      'ttft.p95 < 500ms',
      'goodput > 99%',
      'e2e.p50 < 3s',
      'tpot.mean < 40ms',
      'icl.p99 < 1s',
    ])
    expect(goodputLimits(slos).map(({ metric }) => metric)).toEqual(['ttft'])
  })

  test('are those of the goodput expression if it has any', () => {
    const slos = parseSlos(['ttft.p95 < 500ms', 'goodput(e2e < 3s) > 99%'])
    expect(goodputLimits(slos).map(({ metric }) => metric)).toEqual(['e2e'])
  })

  test('are rejected if they are given twice', () => {
    const twice = ['goodput(e2e < 3s) > 99%', 'goodput(ttft < 1s) > 99%']
    expect(() => parseSlos(twice)).toThrow(SloSyntaxError)
  })
})

function mistakeIn(expression: string): string {
  try {
    parseSlo(expression)
  } catch (error) {
    if (error instanceof SloSyntaxError) return `${error.at}: ${error.allowed}`
    throw error
  }
  return `${expression} was read`
}
