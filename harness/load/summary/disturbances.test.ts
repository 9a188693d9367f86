import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { errorCounters } from '../../../contract/report/load/errors.ts'
import { ProxyError } from '../../client/index.ts'
import {
  type AnswerEnd,
  connectFailure,
  cutOf,
  requestOutcome,
} from '../engine/in-flight-request.ts'
import { HttpSyntaxError } from '../http/channel.ts'
import { PeerClosedError } from '../http/http1/connection.ts'
import { Http2Error } from '../http/http2/connection.ts'
import { Failures } from '../metrics/failures.ts'
import { type Failure, failure, failureKinds } from '../record.ts'
import { recordOf } from '../test-support/records.ts'
import { disturbancesOf } from './rates.ts'

const broken = {
  'no HTTP': new HttpSyntaxError('whatever it says'),
  'HTTP/2': new Http2Error('whatever it says'),
  proxy: new ProxyError('PROXY_TIMEOUT', 'whatever it says'),
  closed: new PeerClosedError(),
  system: new Error('whatever it says'),
}

describe('the counter of a failure follows from its cause, not from its text', () => {
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
  ] as const)('before the headers: %s, sent %s', (cause, sent, counter) => {
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
    status: 200,
    ending: { kind: 'complete', atMs: 1 },
    hasTerminalEvent: true,
    cut: undefined,
    serverFailure: undefined,
    violation: undefined,
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
      'a body that does not fit its coding',
      {
        ending: { kind: 'undecodable', atMs: 1, error: 'x' },
        cut: failure('unreadable', 'it is not gzip, its Content-Encoding'),
      },
      'unreadable',
    ],
  ])('of an answer: %s', (_, end, counter) => {
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
  fc.assert(
    fc.property(fc.array(any, { maxLength: 300 }), (outcomes) => {
      const failures = new Failures()
      for (const [index, outcome] of outcomes.entries()) {
        failures.add(recordOf({ record: { index, outcome } }))
      }
      const counts = disturbancesOf(failures.rows(outcomes.length))
      const expected = Object.fromEntries(
        errorCounters.map((name) => [
          name,
          outcomes.filter(({ counter }) => counter === name).length,
        ]),
      )
      expect(counts).toEqual({ ...expected, retries: 0 })
    }),
  )
})
