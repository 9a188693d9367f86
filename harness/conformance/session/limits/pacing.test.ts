import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Ending, Exchange } from '../../../../contract/index.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { createRateLimiter, giveUpReason, retryAfterMs } from './rate-limiter.ts'
import { createSemaphore } from './semaphore.ts'

function exchange(status: number | null, more: { retryAfter?: string; ending?: Ending } = {}) {
  const headers = more.retryAfter === undefined ? [] : ([['retry-after', more.retryAfter]] as const)
  const made: Exchange = {
    id: 'x1',
    labels: { scenario: 's', ordinal: 1, attempt: 0, role: 'act' },
    startedAt: '',
    request: { method: 'GET', url: 'http://localhost/', headers: [], body: null },
    response: status === null ? null : { status, headers, headersAtMs: 0, chunks: [] },
    events: [],
    ending: more.ending ?? { kind: 'complete', atMs: 1 },
  }
  return made
}

describe('at most so many holders are let in', () => {
  test('at any time, and all of them in the end, in their order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.nat(20), async (slots, holders) => {
        const semaphore = createSemaphore(slots)
        const order: number[] = []
        let inside = 0
        let max = 0
        const hold = async (holder: number) => {
          const release = await semaphore.acquire()
          order.push(holder)
          inside += 1
          max = Math.max(max, inside)
          await Promise.resolve()
          inside -= 1
          release()
        }
        await Promise.all(Array.from({ length: holders }, (_, holder) => hold(holder)))
        expect(order).toEqual(Array.from({ length: holders }, (_, holder) => holder))
        expect(max).toBe(Math.min(slots, holders))
      }),
    )
  })

  test('and a slot that is given back twice is one slot', async () => {
    const semaphore = createSemaphore(1)
    const release = await semaphore.acquire()
    release()
    release()
    await semaphore.acquire()
    const third = vi.fn()
    semaphore.acquire().then(third)
    await Promise.resolve()
    expect(third).not.toHaveBeenCalled()
  })
})

describe('Retry-After', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: new Date('2026-06-01T12:00:00Z') })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test.each([
    ['0', 0],
    ['7', 7_000],
    [' 7 ', 7_000],
    ['Mon, 01 Jun 2026 12:00:30 GMT', 30_000],
    ['Monday, 01-Jun-26 12:00:30 GMT', 30_000],
    ['Mon, 01 Jun 2026 11:00:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['2026-06-01', undefined],
    ['', undefined],
  ])('%s', (retryAfter, ms) => {
    expect(retryAfterMs(exchange(429, { retryAfter }))).toBe(ms)
  })

  test('is waited for, but not for ever, and not too often', () => {
    const pace = createRateLimiter({ retryAfterMs: 30_000 })
    expect(pace.retryAfter(exchange(429, { retryAfter: '2' }), 0)).toBe(2_000)
    expect(pace.retryAfter(exchange(429, { retryAfter: '30' }), 1)).toBe(30_000)
    expect(pace.retryAfter(exchange(429, { retryAfter: '2' }), 3)).toBeNull()
  })

  test.each(['31', '999999999', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'is not waited for at all where it asks for longer than the profile allows: %s',
    async (retryAfter) => {
      const limits = { retryAfterMs: 30_000 }
      const pace = createRateLimiter(limits)
      const answer = exchange(429, { retryAfter })
      expect(pace.retryAfter(answer, 0)).toBeNull()
      expect(giveUpReason(answer, limits)).toContain(
        'longer than the maximum of 30000 ms (limits.retryAfterMs)',
      )
      // Nor does it hold anybody else back.
      await pace.waitForSlot()
    },
  )

  test('has a growing time in its place where it says nothing of use', () => {
    const pace = createRateLimiter({ retryAfterMs: 30_000 })
    const waits = [0, 1, 2, 3].map((attempt) =>
      pace.retryAfter(exchange(503, { retryAfter: 'soon' }), attempt),
    )
    expect(waits).toEqual([500, 1_000, 2_000, null])
  })
})

describe('the pace', () => {
  test('holds the requests of all scenarios back after a 429', async () => {
    const pace = createRateLimiter({ retryAfterMs: 30_000 })
    pace.retryAfter(exchange(429, { retryAfter: '1' }), 0)
    const start = performance.now()
    await Promise.all([pace.waitForSlot(), pace.waitForSlot()])
    expect(performance.now() - start).toBeGreaterThan(950)
  })

  test('spreads requests evenly at a rate', async () => {
    const pace = createRateLimiter({ requestsPerSecond: 50, retryAfterMs: 30_000 })
    const start = performance.now()
    const sent = Array.from({ length: 5 }, () =>
      pace.waitForSlot().then(() => performance.now() - start),
    )
    const times = await Promise.all(sent)
    for (const [at, time] of times.entries()) expect(time).toBeGreaterThan(at * 20 - 10)
  })
})

describe('the circuit', () => {
  const timeout = exchange(null, { ending: { kind: 'timeout', atMs: 1 } })
  const refused = exchange(null, {
    ending: { kind: 'unreachable', atMs: 1, code: 'ECONNREFUSED', error: 'refused' },
  })
  const silentBody = exchange(200, { ending: { kind: 'timeout', atMs: 1 } })
  const eight = Array.from({ length: 8 })

  test.each([
    ['no answer in time', timeout, '8 requests in a row got no answer in time'],
    ['nobody there', refused, '8 requests in a row found no answer (ECONNREFUSED)'],
    ['bodies that never end', silentBody, '8 requests in a row got no answer in time'],
  ])('opens after eight times %s', (_, lost, reason) => {
    const breaker = createCircuitBreaker()
    for (const _ of eight.slice(1)) breaker.recordEnding(lost)
    expect(breaker.isOpen).toBe(false)
    breaker.recordEnding(lost)
    expect(breaker.isOpen).toBe(true)
    expect(breaker.reason).toBe(reason)
  })

  test('opens where eight requests were turned away to the last try', () => {
    const breaker = createCircuitBreaker()
    for (const _ of eight) {
      for (const _ of [0, 1, 2, 3]) breaker.recordEnding(exchange(503))
      breaker.giveUp(exchange(503))
    }
    expect(breaker.isOpen).toBe(true)
    expect(breaker.reason).toContain('503')
  })

  test.each([200, 204, 400, 500])('stays closed where a %i comes in between', (status) => {
    const breaker = createCircuitBreaker()
    for (const _ of eight) {
      for (const _ of eight.slice(1)) breaker.recordEnding(timeout)
      breaker.recordEnding(exchange(status))
    }
    expect(breaker.isOpen).toBe(false)
  })
})

describe('those who are first', () => {
  test('are alone until they have left', async () => {
    const semaphore = createSemaphore(8)
    const entered: string[] = []
    const enter = async (name: string, isFirst: boolean) => {
      const release = await semaphore.acquire({ isFirst })
      entered.push(name)
      return release
    }
    const other = enter('other', false)
    const [one, two] = await Promise.all([enter('one', true), enter('two', true)])
    one()
    await new Promise(setImmediate)
    expect(entered).toEqual(['one', 'two'])
    two()
    await other
    expect(entered).toEqual(['one', 'two', 'other'])
  })
})
