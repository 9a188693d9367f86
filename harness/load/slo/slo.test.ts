import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forAll } from '../../../contract/test-support/for-all.ts'
import { toHtml } from '../../../reports/document/html.ts'
import { loadDocument } from '../../../reports/load/document.ts'
import { loadReportOf } from '../../../reports/test-support/measurements.ts'
import { LatencyRecorder } from '../metrics/latency-recorder.ts'
import { Histogram } from '../metrics/samples/histogram.ts'
import { decideShare, minRequests, shareInterval } from '../statistics/shares.ts'
import { decideSlo } from './decide.ts'
import { impliedSlos, type RequestTotals, type SentCounts, unmeasured } from './implied.ts'
import { parseSlo, parseSlos } from './parse.ts'

/** Decides an SLO on requests with these outcomes in 30 s, all of them independent. */
function decide(
  text: string,
  outcomes: Partial<LatencyRecorder['outcomes']> = {},
  windowNs = 30e9,
) {
  const group = new LatencyRecorder()
  Object.assign(group.outcomes, outcomes)
  return decideOn(text, group, windowNs)
}

function decideOn(text: string, group: LatencyRecorder, windowNs = 30e9) {
  const counts = { windowNs, completed: 300, outputTokens: 9000 }
  return decideSlo(parseSlo(text), { group, independent: () => 1, ...counts })
}

/** Decides it on `fast` values of 100 ms and `slow` values of 700 ms of the latency that it limits. */
function timed(text: string, fast: number, slow: number) {
  const values = new Histogram()
  if (fast > 0) values.add(1e8, fast)
  if (slow > 0) values.add(7e8, slow)
  const slo = parseSlo(text)
  const group = new LatencyRecorder()
  if (slo.kind === 'latency') group.ended.set(`${slo.clock} ${slo.metric}`, values)
  return decideOn(text, group)
}

describe('a quantile SLO', () => {
  test('is met if few enough requests are over the limit', () => {
    expect(timed('ttft.p99 < 500ms', 661, 1)).toEqual({
      ...{ expression: 'ttft.p99 < 500ms', verdict: 'met', needed: null },
      // A bucket is 64 us wide here.
      ...{ observed: expect.closeTo(100, 1), low: 100, high: expect.closeTo(100, 1), unit: 'ms' },
      message: '1 of 662 requests were over 500 ms; p99 allows 1 %. Met at 99 % confidence.',
      limits: [
        {
          ...{ metric: 'ttft', clock: 'response', statistic: 'p99' },
          ...{ value: 500, unit: 'ms', inclusive: false },
        },
      ],
    })
  })

  test('says how many more requests are needed, and shows no p99 of 200', () => {
    expect(timed('ttft.p99 < 500ms', 200, 0)).toMatchObject({
      ...{ verdict: 'undecided', needed: 259, observed: null },
      message:
        '0 of 200 requests were over 500 ms; p99 allows 1 %. 259 more clean requests needed for a decision.',
    })
  })

  test('is missed by seven requests if all are over the limit', () => {
    expect(timed('ttft.p50 < 500ms', 0, 7)).toMatchObject({ verdict: 'missed', observed: 700 })
  })

  test('compares its own metric and clock, with an inclusive limit for <=', () => {
    const group = new LatencyRecorder()
    const values = new Histogram()
    values.add(2e9, 50)
    group.ended.set('service e2e', values)
    const row = (text: string) => decideOn(text, group)
    expect(row('service.e2e.p50 <= 2s')).toMatchObject({ verdict: 'met', observed: 2000 })
    expect(row('service.e2e.p50 < 2s')).toMatchObject({ verdict: 'missed', observed: 2000 })
    for (const other of ['e2e.p50 <= 2s', 'service.ttft.p50 <= 2s']) {
      expect(row(other)).toMatchObject({ verdict: 'undecided', observed: null })
    }
  })
})

describe('a mean SLO', () => {
  test('is decided at 2.326 standard errors from the limit', () => {
    // Mean 400 ms, deviation 300 ms; at 500 ms that takes (2.326 * 3) ** 2 = 48.7 values.
    const before = { verdict: 'undecided', needed: 1, observed: 400 }
    expect(timed('e2e.mean < 500ms', 24, 24)).toMatchObject(before)
    expect(timed('e2e.mean < 500ms', 25, 25)).toMatchObject({
      verdict: 'met',
      low: expect.closeTo(400 - (1.96 * 300) / Math.sqrt(50), 1),
    })
    expect(timed('e2e.mean < 300ms', 25, 25).verdict).toBe('missed')
  })

  test('is undecided with 29 values or if the mean equals the limit', () => {
    expect(timed('e2e.mean < 500ms', 29, 0)).toMatchObject({ verdict: 'undecided', needed: 1 })
    expect(timed('e2e.mean < 400ms', 25, 25).needed).toBe(1e7)
    expect(decide('e2e.mean < 400ms').needed).toBe(30)
  })

  test('of constant values is compared with the limit', () => {
    expect(timed('e2e.mean <= 100ms', 30, 0).verdict).toBe('met')
    expect(timed('e2e.mean < 100ms', 30, 0).verdict).toBe('missed')
  })
})

describe('a share SLO', () => {
  test('on goodput counts requests that were not good', () => {
    const outcomes = { ok: 662, good: 659 }
    expect(decide('goodput > 99%', outcomes)).toMatchObject({
      verdict: 'undecided',
      unit: '%',
      observed: expect.closeTo(99.547, 3),
      message: expect.stringContaining('3 were not, 1 % may be.'),
    })
    expect(decide('goodput > 95%', outcomes).verdict).toBe('met')
  })

  test('on errors counts failed, shed and not dispatched requests', () => {
    const outcomes = { ok: 480, good: 480, failed: 12, shed: 5, notDispatched: 3 }
    expect(decide('errors < 1%', outcomes)).toMatchObject({ verdict: 'missed', observed: 4 })
    expect(decide('errors < 10%', outcomes).verdict).toBe('met')
    const unknown = { verdict: 'undecided', needed: 459, observed: null }
    expect(decide('errors < 1%')).toMatchObject(unknown)
  })
})

test('a rate SLO compares the rate in the window', () => {
  const message = '300 requests in 30.0 s.'
  expect(decide('rate > 10/s')).toMatchObject({ verdict: 'missed', observed: 10 })
  expect(decide('rate >= 10/s')).toMatchObject({ verdict: 'met', message })
  expect(decide('tokens > 299/s')).toMatchObject({ verdict: 'met', observed: 300, unit: '/s' })
  expect(decide('rate > 1/s', {}, 0).verdict).toBe('undecided')
})

const answered = (whole: number, errors: RequestTotals['errors'] = []): RequestTotals => ({
  whole,
  due: whole + errors.reduce((sum, { count }) => sum + count, 0),
  unanswered: 0,
  errors,
})
const refused = (count: number, detail = '503') => ({ kind: 'status', detail, count }) as const
const rows = (run: RequestTotals, slos: readonly string[] = [], maxShare: number | null = null) =>
  impliedSlos(parseSlos(slos), run, maxShare).map(
    ({ expression, verdict }) => `${expression}: ${verdict}`,
  )

test('unanswered requests are undecided unless an SLO tolerates their share', () => {
  const hanging = (unanswered: number) => ({ ...answered(99), unanswered })
  const row = ['each request is answered: undecided']
  expect(rows(hanging(1))).toEqual(row)
  expect(rows(hanging(1), ['errors < 1%'])).toEqual([])
  expect(rows(hanging(2), ['errors < 1%'])).toEqual(row)
  expect(rows(hanging(2), ['goodput > 90%'], 0.05)).toEqual([])
})

describe('refusals', () => {
  test('over 1 % are missed, with their share and statuses', () => {
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

  test('are undecided if there is one in 20 requests', () => {
    expect(rows(answered(19, [refused(1)]))).toEqual(['refusals <= 1%: undecided'])
  })

  test('include error events in a response with status 200', () => {
    const errors = [{ kind: 'in-band-error', detail: 'x', count: 30 } as const]
    expect(rows(answered(10, errors))).toEqual(['refusals <= 1%: missed'])
  })

  test('are limited by the given share, with any SLOs', () => {
    const run = answered(90, [refused(10)])
    expect(rows(run, [], 0.2)).toEqual([])
    expect(rows(run, ['errors < 90%'], 0.02)).toEqual(['refusals <= 2%: missed'])
    expect(rows(run, [], 0)).toEqual(['refusals <= 0%: missed'])
    expect(rows(answered(90), [], 0)).toEqual([])
  })
})

/** Counts at 99 % confidence; 459 and 662 are also printed by MLPerf LoadGen. */
test.each([
  ['p90', 0.1, [44, 64, 81, 127, 197]],
  ['p95', 0.05, [90, 130, 165, 259, 398]],
  ['p99', 0.01, [459, 662, 838, 1307, 2010]],
  ['p99.9', 0.001, [4603, 6636, 8403, 13105, 20140]],
])('minRequests of %s with 0, 1, 2, 5 and 10 over the limit', (_, allowed, counts) => {
  expect([0, 1, 2, 5, 10].map((over) => minRequests(over, allowed))).toEqual(counts)
})

describe('decideShare', () => {
  test('needs twice as many requests if half are independent', () => {
    expect(decideShare(800, 0, 0.01, 0.5)).toEqual({ verdict: 'undecided', needed: 118 })
    expect(decideShare(918, 0, 0.01, 0.5).verdict).toBe('met')
  })

  const share = fc.double({ min: 0.001, max: 0.5, noNaN: true })
  const counts = fc.nat(3000).chain((n) => fc.tuple(fc.constant(n), fc.nat(n)))

  test('needs exactly as many requests as it says', () => {
    forAll(counts, share, ([n, over], allowed) => {
      const { needed } = decideShare(n, over, allowed)
      if (needed === null) return
      expect(decideShare(n + needed, over, allowed).verdict).toBe('met')
      expect(decideShare(n + needed - 1, over, allowed).verdict).not.toBe('met')
    })
  })
})

test('the interval of a share is that of Clopper and Pearson', () => {
  // None of 20: 1 - 0.025 ** (1 / 20); 10 of 100 from their tables.
  expect(shareInterval(20, 0)).toEqual({ low: 0, high: expect.closeTo(0.16843, 5) })
  expect(shareInterval(20, 20)).toEqual({ low: expect.closeTo(0.83157, 5), high: 1 })
  const tenth = { low: expect.closeTo(0.049, 4), high: expect.closeTo(0.1762, 4) }
  expect(shareInterval(100, 10)).toEqual(tenth)
})

const request = (operation: string, count: number) =>
  ({ operation, form: 'json', count, completed: count, failed: 0 }) as const
const sent: SentCounts = {
  planned: 20,
  goodput: { good: 20, due: 20, share: 1, perSecond: 1 },
  open: 0,
  integrity: { findings: [] },
  transactions: [{ name: 'v3', planned: 20, requests: [request('v3.generate', 20)] }],
}
const none = { good: 0, due: 0, share: null, perSecond: 0 }
const messagesOf = (more: Partial<SentCounts>) =>
  unmeasured({ ...sent, ...more }).map(({ message }) => message)

describe('a run that measured nothing is undecided with a reason', () => {
  test.each<[string, Partial<SentCounts>, string]>([
    ['an empty plan', { planned: 0, transactions: [] }, 'The plan contains no requests'],
    ['all open', { open: 20 }, '20 requests were still open at the end'],
    ['all before the window', {}, 'No request of a user was due in the measured window'],
    ['none sent', { planned: null, transactions: [] }, 'No request was sent.'],
  ])('%s', (_, more, words) => {
    const rows = unmeasured({ ...sent, goodput: none, ...more })
    expect(rows).toMatchObject([{ verdict: 'undecided', implied: true }])
    expect(rows[0]?.message).toContain(words)
  })

  test('for streams without text', () => {
    const first = { index: 0, step: 0, atMs: 0, operation: '', event: null, why: '', requestId: '' }
    const row = { id: 'OAI-STREAM-04', level: 'expected', title: '', first, of: 9 } as const
    const messages = (broken: number) =>
      messagesOf({ integrity: { findings: [{ ...row, broken, rate: broken / 9 }] } })
    expect(messages(9)).toEqual(['None of 9 streams had text.'])
    expect(messages(8)).toEqual([])
  })

  test('for one kind of transaction beside another that was measured', () => {
    const transactions = [
      ...sent.transactions,
      { name: 'chats', planned: 7, requests: [request('v3.createChat', 7)] },
      { name: 'rare', planned: 0, requests: [] },
    ]
    expect(messagesOf({ transactions })).toEqual([
      'Nothing was measured. None of 7 transactions chats got beyond creating its chat.',
    ])
  })
})

const units = { us: 0.001, µs: 0.001, μs: 0.001, ms: 1, s: 1000, min: 60_000 }
const limit = fc.record({
  prefix: fc.constantFrom('', 'response.', 'service.'),
  statistic: fc.constantFrom('p50', 'p95', 'p99.9', 'mean'),
  sign: fc.constantFrom('<', '<='),
  value: fc.integer({ min: 1, max: 5000 }),
  unit: fc.constantFrom(...(['us', 'µs', 'μs', 'ms', 's', 'min'] as const)),
  isGoodput: fc.boolean(),
})

test('an SLO row has its limit in milliseconds, for any unit', () => {
  forAll(limit, ({ prefix, statistic, sign, value, unit, isGoodput }) => {
    const expression = isGoodput
      ? `goodput(${prefix}e2e ${sign} ${value}${unit}) > 99%`
      : `${prefix}e2e.${statistic} ${sign} ${value}${unit}`
    const clock = prefix === 'service.' ? 'service' : 'response'
    const ms = expect.closeTo(value * units[unit], 6)
    expect(decide(expression).limits).toEqual([
      {
        ...{ metric: 'e2e', clock, unit: 'ms', value: ms, inclusive: sign === '<=' },
        statistic: isGoodput ? null : statistic,
      },
    ])
  })
})

test('charts draw the limits of their metric and clock', () => {
  const expressions = ['ttft.p95 < 1.5s', 'goodput(e2e < 3s) > 99%', 'service.e2e.p50 < 1s']
  const others = ['icl.p99 < 80ms', 'errors < 1%', 'rate > 10/s']
  const slo = [...expressions, ...others].map((text) => decide(text))
  expect(slo.map(({ limits }) => limits?.length)).toEqual([1, 1, 1, 1, undefined, undefined])
  expect(limitsIn(toHtml(loadDocument(loadReportOf({ slo }))))).toEqual({
    ...{ 'ttft-heat': [1500], 'ttft-time': [1500], 'e2e-time': [3000], 'icl-time': [80] },
  })
})

/** Values of the limits by chart. */
function limitsIn(html: string): Record<string, number[]> {
  const [, json = ''] =
    /<script type="application\/json" id="charts">(.*?)<\/script>/s.exec(html) ?? []
  const charts: { id: string; limits?: { value: number }[] }[] = JSON.parse(json)
  return Object.fromEntries(
    charts.flatMap(({ id, limits }) => (limits ? [[id, limits.map(({ value }) => value)]] : [])),
  )
}
