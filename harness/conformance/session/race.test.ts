import { describe, expect, test } from 'vitest'
import type { Exchange } from '../../../contract/index.ts'
import { exchangeOf } from '../../../reports/test-support/exchanges.ts'
import { areConcurrent, findGap } from './race.ts'

const noLimit = { limits: {} }

describe('requests are evidence of concurrency', () => {
  test.each([
    ['sent together', [sent(0, 50, 60), sent(1, 40, 60)], undefined],
    ['sent in the moment of the first response', [sent(0, 50, 60), sent(50, 70, 80)], undefined],
    [
      'sent while the first response runs',
      [sent(0, 50, 900), sent(250, 300, 950)],
      'the last request was sent 200 ms after the first response began',
    ],
    [
      'sent a moment too late',
      [sent(0, 50, 60), sent(50.2, 70, 80)],
      'the last request was sent 1 ms after the first response began',
    ],
    [
      'sent again after a refusal',
      [
        sent(0, 50, 60),
        { ...sent(150, 170, 180), labels: { ...sent(0, 0, 0).labels, attempt: 1 } },
      ],
      'the last request was sent 100 ms after the first response began: a request was refused or failed at first, and was sent again',
    ],
    [
      'of a recording without these times',
      [sent(0, 50, 60), exchangeOf()],
      'the time at which a request was sent is unknown',
    ],
  ])('%s', (_, exchanges, gap) => {
    expect(findGap(exchanges, noLimit)).toBe(gap)
  })

  test('and if a limit prevented it, the limit is named', () => {
    const apart = [sent(0, 50, 60), sent(1000, 1050, 1060)]
    expect(findGap(apart, { limits: { requestsPerSecond: 1 } })).toBe(
      'the last request was sent 950 ms after the first response began: limits.requestsPerSecond: 1 does not allow 2 requests at once',
    )
    expect(findGap(apart, { limits: { requestsPerSecond: 2 } })).not.toContain('limits')
    // A slow target is in time for requests that a limit keeps apart.
    expect(
      findGap([sent(0, 5000, 5010), sent(1000, 5050, 5060)], { limits: { requestsPerSecond: 1 } }),
    ).toBe(undefined)
  })
})

test.each([
  ['both run', sent(0, 50, 100), sent(60, 70, 80), true],
  ['one ended before the other was sent', sent(0, 50, 60), sent(61, 70, 80), false],
  ['the times are unknown', exchangeOf(), sent(61, 70, 80), false],
])('two requests are concurrent: %s', (_, one, other, expected) => {
  expect(areConcurrent(one, other)).toBe(expected)
  expect(areConcurrent(other, one)).toBe(expected)
})

/** Times on the clock of the run; the exchange's own clock began 7 ms before the request was sent. */
function sent(clockMs: number, answeredMs: number, endedMs: number): Exchange {
  const exchange = exchangeOf()
  const own = (ms: number) => ms - clockMs + 7
  return {
    ...exchange,
    sent: { atMs: 7, clockMs },
    response: exchange.response && { ...exchange.response, headersAtMs: own(answeredMs) },
    ending: { kind: 'complete', atMs: own(endedMs) },
  }
}
