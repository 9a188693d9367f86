import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forAll } from '../../../contract/test-support/for-all.ts'
import { errorCounters } from '../../../reports/load/model/integrity.ts'
import type { Delivery } from '../../../reports/load/model/measures.ts'
import { deliveryText, lumpText } from '../../../reports/load/traffic.ts'
import { loadReportOf } from '../../../reports/test-support/measurements.ts'
import { ProxyError } from '../../client/network/proxy.ts'
import { type AnswerEnd, connectFailure, cutOf, requestOutcome } from '../engine/request-outcome.ts'
import { Http2Error, HttpSyntaxError } from '../http/channel.ts'
import { PeerClosedError } from '../http/http1/connection.ts'
import { LatencyRecorder } from '../metrics/latency-recorder.ts'
import { Failures } from '../metrics/outcome-counts.ts'
import { type Failure, failure, failureKinds } from '../record.ts'
import { recordOf } from '../test-support/records.ts'
import { describeDelivery, disturbancesOf } from './rates.ts'

const config = { limits: [], stallNs: 5e8 }
const ms = 1e6

/** Thirty streams with these gaps between their deltas, in milliseconds. */
function delivered(gaps: (stream: number) => readonly number[]): Delivery | null {
  const group = new LatencyRecorder()
  for (let stream = 0; stream < 30; stream += 1) {
    const gapsNs = gaps(stream).map((gap) => gap * ms)
    const lastGenerated = 100 * ms + gapsNs.reduce((sum, gap) => sum + gap, 0)
    const last = { lastGenerated, terminal: lastGenerated, ended: lastGenerated }
    const timestamps = { firstGenerated: 100 * ms, ...last }
    group.add(recordOf({ timestamps, record: { gapsNs } }), config)
  }
  return describeDelivery(group)
}

const lump = (deltas: number, pause: number) => [...Array<number>(deltas - 1).fill(0), pause]

describe('delivery of deltas', () => {
  const evenly = (count: number, part: readonly number[]) =>
    Array.from({ length: count }, () => part).flat()

  test.each<[string, (stream: number) => readonly number[], object, RegExp | null]>([
    [
      'one by one',
      () => evenly(24, [20]),
      { streams: 30, deltas: 750, reads: 750, together: 0, lumps: 'none' },
      null,
    ],
    [
      'two by two, as from a model with two tokens per step',
      () => evenly(12, lump(2, 20)),
      { lumps: 'none', lumpMs: null },
      null,
    ],
    [
      'in bursts at a fixed interval, as from a proxy that collects for 200 ms',
      (stream) => [0, ...evenly(4, lump(10, 200 + stream / 10))],
      { lumps: 'some', inOneRead: 0, firstRead: 11, lumpMs: expect.closeTo(201.5, -1) },
      /^deltas arrived in bursts about every 20\d ms: .*, so ttft is the time of the first burst \(11\.0 deltas on average\)/,
    ],
    [
      'in bursts at irregular intervals, as from a full buffer',
      (stream) => [...lump(10, 50 + 20 * stream), ...lump(10, 700), 0],
      { lumps: 'some', lumpMs: null },
      /^deltas arrived in bursts: /,
    ],
    [
      'whole answers in one read',
      (stream) => (stream < 20 ? lump(25, 0) : [20, 20, 20, 20]),
      { lumps: 'whole', inOneRead: 20 },
      /^20 of 30 streams arrived in a single read, so ttft is the time of/,
    ],
  ])('%s', (_, gaps, expected, warning) => {
    const found = delivered(gaps)
    expect(found).toMatchObject(expected)
    const text = lumpText(loadReportOf({ delivery: found }))
    expect(text).toMatch(warning ?? /^$/)
  })

  test('counts streams with more or fewer deltas than output tokens', () => {
    const tokens = [8, 8, 7, 9, null]
    const group = new LatencyRecorder()
    for (const outputTokens of tokens) {
      const counts = { outputTokens, streamedTokens: outputTokens }
      group.add(recordOf({ counts, record: { gapsNs: Array(7).fill(20 * ms) } }), config)
    }
    const delivery = describeDelivery(group)
    expect(delivery?.usage).toEqual({ equal: 2, more: 1, fewer: 1 })
    const sentence = '; 1 of 4 streams had more deltas than output tokens'
    expect(deliveryText({ delivery })).toContain(sentence)
  })

  test('is not judged for streams of few deltas or one', () => {
    expect(delivered(() => [0, 0])).toMatchObject({ lumps: 'none', inOneRead: 30 })
    expect(delivered(() => [])).toBeNull()
  })

  test('is not judged if the generator was late', () => {
    const delivery = delivered(() => lump(25, 0))
    const generator = { ...loadReportOf().generator, verdict: 'invalid' as const }
    expect(lumpText(loadReportOf({ delivery, generator }))).toBe('')
  })
})

const broken = {
  'no HTTP': new HttpSyntaxError('whatever it says'),
  'HTTP/2': new Http2Error('whatever it says'),
  proxy: new ProxyError('PROXY_TIMEOUT', 'whatever it says'),
  closed: new PeerClosedError(),
  system: new Error('whatever it says'),
}

describe('the counter of a failure follows its cause, not its text', () => {
  test.each([
    ['no HTTP', true, 'unreadable'],
    ['no HTTP', false, 'unreadable'],
    ['HTTP/2', true, 'droppedConnections'],
    ['HTTP/2', false, 'unanswered'],
    ['proxy', false, 'unanswered'],
    ['closed', true, 'droppedConnections'],
    ['closed', false, 'unanswered'],
    ['system', true, 'droppedConnections'],
    ['system', false, 'unanswered'],
  ] as const)('before the headers: %s, request sent: %s', (cause, sent, counter) => {
    expect(connectFailure(broken[cause], sent).counter).toBe(counter)
  })

  test.each([
    ['no HTTP', 'unreadable'],
    ['HTTP/2', 'droppedConnections'],
    ['closed', 'droppedConnections'],
  ] as const)('inside the body: %s', (cause, counter) => {
    expect(cutOf(broken[cause]).counter).toBe(counter)
  })

  const whole: AnswerEnd = {
    ...{ status: 200, ending: { kind: 'complete', atMs: 1 }, hasTerminalEvent: true },
    ...{ cut: undefined, serverFailure: undefined, violation: undefined },
  }
  test.each<[string, Partial<AnswerEnd>, Failure['counter']]>([
    ['429', { status: 429 }, 'tooManyRequests'],
    ['500', { status: 500 }, 'serverErrors'],
    ['599', { status: 599 }, 'serverErrors'],
    ['600', { status: 600 }, 'otherErrors'],
    ['404', { status: 404 }, 'otherErrors'],
    ['302', { status: 302 }, 'otherErrors'],
    ['an error event', { serverFailure: 'failed' }, 'errorEvents'],
    ['no terminal event', { hasTerminalEvent: false }, 'incomplete'],
    ['a violation', { violation: 'V3-SSE-17' }, 'violations'],
    [
      'a body that does not match its Content-Encoding',
      {
        ending: { kind: 'undecodable', atMs: 1, error: 'x' },
        cut: failure('unreadable', 'it is not gzip, its Content-Encoding'),
      },
      'unreadable',
    ],
  ])('after the response: %s', (_, end, counter) => {
    expect(requestOutcome({ ...whole, ...end })).toMatchObject({ counter })
  })
})

test('each failed request is in exactly one counter', () => {
  const any = fc
    .tuple(
      fc.constantFrom(...failureKinds),
      fc.string({ maxLength: 5 }),
      fc.option(fc.constantFrom(...errorCounters), { nil: undefined }),
    )
    .map(([kind, detail, counter]) => failure(kind, detail, counter))
  forAll(fc.array(any, { maxLength: 300 }), (outcomes) => {
    const failures = new Failures()
    for (const [index, outcome] of outcomes.entries()) {
      failures.add(recordOf({ record: { index, outcome } }))
    }
    const counts = disturbancesOf(failures.rows(outcomes.length))
    for (const name of errorCounters) {
      expect(counts[name]).toBe(outcomes.filter(({ counter }) => counter === name).length)
    }
    expect(counts.retries).toBe(0)
  })
})
