import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TraceSyntaxError } from '../load/plan/trace.ts'
import { DemandSyntaxError, parseDemand, parsePrice } from './demand.ts'
import { busiest, part, readDemandTrace, requestsWithin, timeLabel } from './trace.ts'

describe('a demand', () => {
  test.each([
    ['concurrency=600', { kind: 'concurrency', users: 600 }],
    ['rate=90/s', { kind: 'rate', perSecond: 90 }],
    ['rate=5400/min', { kind: 'rate', perSecond: 90 }],
    ['rate = 324000/h', { kind: 'rate', perSecond: 90 }],
    ['./traces/rate=1.csv', { kind: 'file', path: './traces/rate=1.csv' }],
  ])('%s', (text, demand) => {
    expect(parseDemand(text)).toEqual(demand)
  })

  test.each(['rate=90', 'rate=0/s', 'rate=x/s', 'concurrency=0', 'concurrency=1.5', 'users=5', ''])(
    '%s cannot be read',
    (text) => {
      expect(() => parseDemand(text)).toThrow(DemandSyntaxError)
    },
  )

  test.each([
    ['2.40/h', { perHour: 2.4, currency: '' }],
    ['$2.40/h', { perHour: 2.4, currency: '$' }],
    ['2.40 EUR/h', { perHour: 2.4, currency: 'EUR' }],
    ['1460/month', { perHour: 2, currency: '' }],
  ])('a price of %s', (text, price) => {
    expect(parsePrice(text)).toEqual(price)
  })

  test.each(['2.40', 'free', '2.40/s', '-1/h'])('no price: %s', (text) => {
    expect(() => parsePrice(text)).toThrow(DemandSyntaxError)
  })
})

describe('a trace', () => {
  test('of rates by the hour', () => {
    const trace = readDemandTrace('at,rate\n08:00,2\n09:00,10\n10:00,4\n')
    expect(trace).toMatchObject({ durationMs: 3 * 3_600_000, requests: 16 * 3600 })
    const peak = busiest(trace, 3_600_000)
    expect(timeLabel(trace, peak.fromMs)).toBe('09:00')
    expect(requestsWithin(trace, peak.fromMs, peak.toMs)).toBe(36_000)
    expect(part(trace, peak.fromMs, peak.toMs)).toEqual([{ fromMs: 0, perSecond: 10 }])
  })

  test('of single requests, with lengths', () => {
    const trace = readDemandTrace('at,prompt,answer\n0,10,20\n0.5,30,40\n7,10,20\n')
    expect(trace).toMatchObject({ requests: 3, durationMs: 8000, startsAtMs: null })
    expect(trace.lengths).toHaveLength(3)
    expect(trace.pieces[0]).toEqual({ fromMs: 0, perSecond: 2 })
  })

  test('past midnight, and as lines of chatgen load', () => {
    const night = readDemandTrace('at,requests\n23:00,3600\n00:00,7200\n')
    expect(night.pieces).toEqual([
      { fromMs: 0, perSecond: 1 },
      { fromMs: 3_600_000, perSecond: 2 },
    ])
    expect(readDemandTrace('{"at": 1}\n{"at": 2.5}\n')).toMatchObject({ requests: 2 })
  })

  test.each([
    ['at,rate\n0,1\n60,x\n', 3],
    ['at,rate\n0,1\n60,-1\n', 3],
    ['at,rate\nnoon,1\n', 2],
    ['at,rate\n60,1\n0,1\n', 3],
    ['when,rate\n0,1\n', 1],
    ['at,rate\n', 2],
    ['{"at": 1}\n{"at": "x"}\n', 2],
  ])('names the line that it cannot read: %j', (text, line) => {
    expect(() => readDemandTrace(text)).toThrow(expect.objectContaining({ line }))
    expect(() => readDemandTrace(text)).toThrow(TraceSyntaxError)
  })

  test('has no busier part than the one that is found', () => {
    const rates = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 2, maxLength: 40 })
    fc.assert(
      fc.property(rates, fc.integer({ min: 1, max: 30 }), (values, minutes) => {
        const lines = values.map((rate, at) => `${at * 60},${rate}`)
        const trace = readDemandTrace(['at,rate', ...lines].join('\n'))
        const { fromMs, toMs } = busiest(trace, minutes * 60_000)
        const max = requestsWithin(trace, fromMs, toMs)
        for (const { fromMs: start } of trace.pieces) {
          const end = Math.min(trace.durationMs, start + minutes * 60_000)
          expect(requestsWithin(trace, start, end)).toBeLessThanOrEqual(max + 1e-6)
        }
      }),
    )
  })
})
