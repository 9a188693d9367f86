import { describe, expect, test } from 'vitest'
import { impliedSlos, type RequestTotals } from './implied.ts'
import { parseSlos } from './parse.ts'

const answered = (whole: number, errors: RequestTotals['errors'] = []): RequestTotals => ({
  whole,
  due: whole + errors.reduce((sum, { count }) => sum + count, 0),
  errors,
})
const refused = (count: number, detail = '503') => ({ kind: 'status', detail, count }) as const
const rows = (run: RequestTotals, slos: readonly string[] = [], maxShare: number | null = null) =>
  impliedSlos(parseSlos(slos), run, maxShare).map(
    ({ expression, verdict }) => `${expression}: ${verdict}`,
  )

describe('refusals', () => {
  test('beyond 1 % are missed, with the share and what refused', () => {
    const errors = [refused(4, '500'), { kind: 'shed', detail: '429', count: 7 } as const]
    expect(impliedSlos([], answered(89, errors))).toMatchObject([
      {
        ...{ expression: 'refusals <= 1%', verdict: 'missed', observed: 11, unit: '%' },
        implied: true,
        message: expect.stringContaining(
          '11 of 100 due requests were refused (429, 500); 1 % may be. Missed at 99 % confidence.',
        ),
      },
    ])
  })

  test('up to 1 % are nothing to speak of', () => {
    expect(rows(answered(99, [refused(1)]))).toEqual([])
    expect(rows(answered(100))).toEqual([])
  })

  test('a single one of a few decides nothing, and passes nothing', () => {
    expect(rows(answered(19, [refused(1)]))).toEqual(['refusals <= 1%: undecided'])
  })

  test('are error events inside a 200 as well', () => {
    const errors = [{ kind: 'in-band-error', detail: 'x', count: 30 } as const]
    expect(rows(answered(10, errors))).toEqual(['refusals <= 1%: missed'])
  })

  test.each([['errors < 90%'], ['goodput > 10%']])('are left to %s', (slo) => {
    expect(rows(answered(33, [refused(67)]), [slo])).toEqual([])
    expect(rows(answered(33, [refused(67)]), ['ttft.p95 < 1s'])).toHaveLength(1)
  })

  test('keep the share that was asked for, whatever the SLOs say', () => {
    const run = answered(90, [refused(10)])
    expect(rows(run, [], 0.2)).toEqual([])
    expect(rows(run, ['errors < 90%'], 0.02)).toEqual(['refusals <= 2%: missed'])
    expect(rows(run, [], 0)).toEqual(['refusals <= 0%: missed'])
    expect(rows(answered(90), [], 0)).toEqual([])
  })
})
