import { describe, expect, test } from 'vitest'
import type { Ending, Exchange } from '../../../../contract/index.ts'
import { newRunState } from '../run-state.ts'
import { createLimitBreaches } from './limit-breaches.ts'

const silent: Ending = { kind: 'timeout', atMs: 1 }
const whole: Ending = { kind: 'complete', atMs: 1 }

describe('a route that gives no answer in time', () => {
  test('is skipped after six requests in a row, and says which limit', () => {
    const breaches = createLimitBreaches(newRunState())
    for (let count = 0; count < 5; count += 1) breaches.recordEnding(list(silent))
    expect(() => breaches.assertMayAsk(list())).not.toThrow()
    breaches.recordEnding(list(silent))
    expect(() => breaches.assertMayAsk(list())).toThrow(
      'GET /api/v3/chat is skipped after 6 requests in a row got no answer in time (limits.timeoutMs)',
    )
    expect(() => breaches.assertMayAsk(generation(true))).not.toThrow()
  })

  test('is asked again and again if it answers now and then', () => {
    const breaches = createLimitBreaches(newRunState())
    for (let count = 1; count < 60; count += 1) {
      breaches.recordEnding(list(count % 6 === 0 ? whole : silent))
      expect(() => breaches.assertMayAsk(list())).not.toThrow()
    }
  })

  test('as a stream is asked for its answers in one piece', () => {
    const breaches = createLimitBreaches(newRunState())
    for (let count = 0; count < 6; count += 1) {
      breaches.recordEnding(generation(true, silent))
      breaches.recordEnding(generation(false))
    }
    expect(() => breaches.assertMayAsk(generation(false))).not.toThrow()
    expect(() => breaches.assertMayAsk(generation(true))).toThrow(
      'POST /api/v3/message/generate as a stream is skipped',
    )
  })
})

function list(ending: Ending = whole): Exchange {
  return exchangeOf('GET', '/api/v3/chat', null, ending)
}

function generation(stream: boolean, ending: Ending = whole): Exchange {
  return exchangeOf('POST', '/api/v3/message/generate', JSON.stringify({ stream }), ending)
}

function exchangeOf(method: string, path: string, body: string | null, ending: Ending): Exchange {
  return {
    id: 'x1',
    labels: { scenario: 's', ordinal: 1, attempt: 0, role: 'act' },
    startedAt: '2026-01-01T00:00:00.000Z',
    request: {
      method,
      url: `http://127.0.0.1:4010${path}`,
      headers: [],
      body: body === null ? null : new TextEncoder().encode(body),
    },
    response: null,
    events: [],
    ending,
  }
}
