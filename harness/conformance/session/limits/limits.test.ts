import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Ending, Exchange, ExchangeLabels, Header } from '../../../../contract/index.ts'
import { type ExchangeSketch, exchangeOf } from '../../../../reports/test-support/reports.ts'
import { newRunState } from '../run-state.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { createBudget } from './gate.ts'
import { createLimitBreaches } from './limit-breaches.ts'
import { allowsBurst, createRateLimiter, giveUpReason, retryAfterMs } from './rate-limiter.ts'
import { createSemaphore } from './semaphore.ts'

function exchange(
  status: number | null,
  { retryAfter, date, ...more }: ExchangeSketch & { retryAfter?: string; date?: string } = {},
): Exchange {
  const made = exchangeOf({ method: 'GET', url: 'http://localhost/', status, ...more })
  const headers: Header[] = []
  if (retryAfter !== undefined) headers.push(['retry-after', retryAfter])
  if (date !== undefined) headers.push(['date', date])
  return { ...made, response: made.response && { ...made.response, headers } }
}

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
  ])('of %j is %s ms', (retryAfter, ms) => {
    expect(retryAfterMs(exchange(429, { retryAfter }))).toBe(ms)
  })

  test.each([
    ['a clock that is a day ahead', 'Tue, 02 Jun 2026 12:00:00', 'Tue, 02 Jun 2026 12:00:01', 1],
    ['a clock that is a day behind', 'Sun, 31 May 2026 12:00:00', 'Sun, 31 May 2026 12:00:01', 1],
    ['a Date of another clock', 'Tue, 02 Jun 2026 12:00:00', 'Mon, 01 Jun 2026 12:00:01', 1],
    ['a right clock', 'Mon, 01 Jun 2026 12:00:00', 'Mon, 01 Jun 2026 12:10:00', 600],
    ['an unreadable Date', 'soon', 'Mon, 01 Jun 2026 12:00:01', 1],
  ])('as a date is relative to the Date header, with %s', (_, date, retryAfter, seconds) => {
    const answer = exchange(429, { retryAfter: `${retryAfter} GMT`, date: `${date} GMT` })
    expect(retryAfterMs(answer)).toBe(1000 * seconds)
  })

  const [two, thirty] = ['2', '30'].map((retryAfter) => exchange(429, { retryAfter }))
  const none = exchange(429, { retryAfter: '0' })
  const useless = exchange(503, { retryAfter: 'soon' })
  test.each([
    ['is waited for three times', [two, thirty, two, two], [2_000, 30_000, 2_000, null]],
    [
      'is replaced by a backoff if it is invalid',
      Array(4).fill(useless),
      [500, 1_000, 2_000, null],
    ],
    ['is extended by a backoff if it was too short', Array(4).fill(none), [0, 1_000, 2_000, null]],
  ])('%s', (_, answers, waits) => {
    const pace = createRateLimiter({ retryAfterMs: 30_000 })
    expect(answers.map((answer, attempt) => pace.retryAfter(answer, attempt))).toEqual(waits)
  })

  test.each(['31', '999999999', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'above limits.retryAfterMs is not waited for: %s',
    async (retryAfter) => {
      const limits = { retryAfterMs: 30_000 }
      const pace = createRateLimiter(limits)
      const answer = exchange(429, { retryAfter })
      expect(pace.retryAfter(answer, 0)).toBeNull()
      expect(giveUpReason(answer, limits)).toContain(
        'longer than the maximum of 30000 ms (limits.retryAfterMs)',
      )
      // It does not delay other requests.
      await pace.waitForSlots(1)
    },
  )

  test('is replaced by a backoff for an unreachable target, once until it answers', () => {
    const pace = createRateLimiter({ retryAfterMs: 30_000 })
    const waits = () => [0, 1, 2, 3, 4].map((attempt) => pace.retryAfter(down, attempt))
    expect(waits()).toEqual([500, 1_000, 2_000, 4_000, null])
    expect(waits()).toEqual([0, 0, 0, 0, null])
    pace.recordEnding(exchange(200))
    expect(waits()).toEqual([500, 1_000, 2_000, 4_000, null])
  })
})

const down = exchange(null, {
  ending: { kind: 'unreachable', atMs: 1, code: 'ECONNREFUSED', error: 'refused' },
})

function timesOf(pace: ReturnType<typeof createRateLimiter>, requests: readonly number[]) {
  const start = performance.now()
  const waitFor = async (slots: number) => {
    await pace.waitForSlots(slots)
    return performance.now() - start
  }
  return Promise.all(requests.map(waitFor))
}

describe('the rate limiter', () => {
  test('delays the requests of all scenarios after a 429', async () => {
    const pace = createRateLimiter({ retryAfterMs: 30_000 })
    pace.retryAfter(exchange(429, { retryAfter: '1' }), 0)
    expect(Math.max(...(await timesOf(pace, [1, 1])))).toBeGreaterThan(950)
  })

  test('spaces requests evenly at a rate', async () => {
    const pace = createRateLimiter({ requestsPerSecond: 50, retryAfterMs: 30_000 })
    const times = await timesOf(pace, [1, 1, 1, 1, 1])
    for (const [at, time] of times.entries()) expect(time).toBeGreaterThan(at * 20 - 10)
  })
})

describe('a burst', () => {
  test('collects its slots before it, and delays the next request', async () => {
    const pace = createRateLimiter({ requestsPerSecond: 50, retryAfterMs: 30_000 })
    const [first = 0, burst = 0, next = 0] = await timesOf(pace, [1, 5, 1])
    expect(burst - first).toBeGreaterThan(5 * 20 - 10)
    expect(next - first).toBeGreaterThan(6 * 20 - 10)
  })

  test.each([
    [undefined, 2, true],
    [2, 2, true],
    [1.9, 2, false],
    [4, 3, true],
  ])(
    'at a rate of %s a second with %i requests is allowed: %s',
    (requestsPerSecond, requests, allowed) => {
      const limits = requestsPerSecond === undefined ? {} : { requestsPerSecond }
      expect(allowsBurst(limits, requests)).toBe(allowed)
    },
  )
})

describe('the circuit breaker', () => {
  const timeout = exchange(null, { ending: { kind: 'timeout', atMs: 1 } })
  const silentBody = exchange(200, { ending: { kind: 'timeout', atMs: 1 } })
  const eight = Array.from({ length: 8 })

  test.each([
    ['no answer in time', timeout, '8 requests in a row got no answer in time'],
    ['an unreachable target', down, '8 requests in a row got no answer (ECONNREFUSED)'],
    ['bodies that never end', silentBody, '8 requests in a row got no answer in time'],
  ])('opens after eight times %s', (_, lost, reason) => {
    expect(isOpenAfter(...Array<Exchange>(7).fill(lost))).toBeUndefined()
    expect(isOpenAfter(...Array<Exchange>(8).fill(lost))).toBe(reason)
  })

  test('stays closed if many connections are lost at once', () => {
    const breaker = createCircuitBreaker(undefined, () => 16)
    for (const _ of [...eight, ...eight]) breaker.recordEnding(down)
    expect(breaker.isOpen).toBe(false)
  })

  test('opens if eight requests were refused until the last retry', () => {
    const breaker = createCircuitBreaker(undefined, undefined, oneEvery300Ms())
    for (const _ of eight) {
      for (const _ of [0, 1, 2, 3]) breaker.recordEnding(exchange(503))
      breaker.giveUp(exchange(503))
    }
    expect(breaker.isOpen).toBe(true)
    expect(breaker.reason).toContain('503')
  })

  test.each([200, 204, 400, 500])('stays closed if a %i comes in between', (status) => {
    const seven = Array<Exchange>(7).fill(timeout)
    expect(isOpenAfter(...eight.flatMap(() => [...seven, exchange(status)]))).toBeUndefined()
  })
})

test('a key is known after an accepted request on any route', () => {
  const breaker = createCircuitBreaker()
  const answerTo = (route: string, key: string, status: number) => {
    const made = exchange(status, { url: `http://localhost/api/v3/${route}` })
    return { ...made, request: { ...made.request, headers: [['authorization', key] as const] } }
  }
  breaker.recordEnding(answerTo('chat', 'Bearer known', 200))
  breaker.recordEnding(answerTo('chat', 'Bearer wrong', 500))
  expect(breaker.knowsKeyOf(answerTo('attachment', 'Bearer known', 500))).toBe(true)
  expect(breaker.knowsKeyOf(answerTo('attachment', 'Bearer wrong', 500))).toBe(false)
  expect(breaker.knowsKeyOf(answerTo('attachment', 'Bearer unknown', 500))).toBe(false)
})

/** Clock that is read once for each failure. */
function oneEvery300Ms() {
  let atMs = 0
  return () => (atMs += 300)
}

/** Reason why the circuit is open after these exchanges; undefined if it is closed. */
function isOpenAfter(...exchanges: readonly Exchange[]) {
  const breaker = createCircuitBreaker(undefined, undefined, oneEvery300Ms())
  for (const one of exchanges) breaker.recordEnding(one)
  return breaker.isOpen ? breaker.reason : undefined
}

describe('server errors in a row', () => {
  const errorsOf = (count: number, more: Parameters<typeof exchange>[1] = {}, status = 500) =>
    Array.from({ length: count }, (_, at) =>
      exchange(status, { url: `http://localhost/${at % 4}`, ...more }),
    )

  test('open the circuit on several routes', () => {
    const reason = '12 answers in a row, on 4 routes, were server errors (500)'
    expect(isOpenAfter(exchange(200), ...errorsOf(12))).toBe(reason)
    expect(isOpenAfter(...errorsOf(11))).toBeUndefined()
  })

  test.each([
    ['come from one route', errorsOf(50, { url: 'http://localhost/' })],
    ['answer negative requests', errorsOf(50, { role: 'negative' })],
    ['say that the route is not implemented', errorsOf(50, {}, 501)],
    ['have another answer between them', [...errorsOf(11), exchange(404), ...errorsOf(11)]],
  ])('do not open the circuit if they %s', (_, exchanges) => {
    expect(isOpenAfter(...exchanges)).toBeUndefined()
  })
})

describe('responses that contradict earlier ones', () => {
  const accepted = exchange(200)
  const page = exchangeOf({ method: 'GET', url: 'http://localhost/', type: 'text/html' })
  const chunks = [{ atMs: 1, bytes: new TextEncoder().encode('{"data":[]}') }]
  const labeledJson = { ...page, response: page.response && { ...page.response, chunks } }
  const refused = exchange(401)
  const negative = exchange(401, { role: 'negative' })
  const elsewhere = exchange(401, { method: 'DELETE' })
  const chat = 'http://localhost/api/v3/chat/5d0c2a94-7c1e-4f9b-8a51-0f3c2b1d9e77'
  const ofChat = (status: number) => exchange(status, { url: chat })

  test.each([
    [
      'a key that is refused',
      refused,
      'from x1 on, the key that was accepted before is refused (401)',
    ],
    [
      'a route that is gone',
      exchange(404),
      'from x1 on, routes that existed before are gone (404)',
    ],
    ['a page', page, 'from x1 on, every answer is an HTML page (200)'],
  ])('open the circuit after eight times %s', (_, odd, reason) => {
    expect(isOpenAfter(accepted, ...Array<Exchange>(8).fill(odd))).toBe(reason)
    expect(isOpenAfter(accepted, ...Array<Exchange>(7).fill(odd))).toBeUndefined()
  })

  test.each([
    ['nothing was accepted before', [], refused],
    ['the operation was not accepted before', [accepted], elsewhere],
    ['the requests were negative', [accepted], negative],
    ['a resource may have been deleted', [ofChat(200)], ofChat(404)],
    ['a parent may have been lost', [accepted], exchange(404, { body: '{"parent_id":"r1"}' })],
    ['a page is JSON in truth', [accepted], labeledJson],
  ])('are not counted if %s', (_, before, odd) => {
    expect(isOpenAfter(...before, ...Array<Exchange>(20).fill(odd))).toBeUndefined()
  })

  test('do not open the circuit within two seconds', () => {
    const breaker = createCircuitBreaker(undefined, undefined, () => 0)
    for (const one of [accepted, ...Array<Exchange>(50).fill(page)]) breaker.recordEnding(one)
    expect(breaker.isOpen).toBe(false)
  })

  test('are not counted in a row if another response comes in between', () => {
    const seven = Array<Exchange>(7).fill(refused)
    expect(isOpenAfter(accepted, ...seven, exchange(400), ...seven)).toBeUndefined()
  })
})

const silent: Ending = { kind: 'timeout', atMs: 1 }
const whole: Ending = { kind: 'complete', atMs: 1 }

describe('a route without responses in time', () => {
  const asking = (...endings: readonly Exchange[]) => {
    const breaches = createLimitBreaches(newRunState())
    for (const ended of endings) breaches.recordEnding(ended)
    return (next: Exchange) => () => breaches.assertMayAsk(next)
  }
  const times = (count: number, ...endings: Exchange[]) => Array(count).fill(endings).flat()

  test('is asked again if it answers now and then', () => {
    const now = times(10, ...times(5, list(silent)), list())
    for (let count = 1; count < now.length; count += 1) {
      expect(asking(...now.slice(0, count))(list())).not.toThrow()
    }
  })

  test('is separate for streams and whole responses', () => {
    const ask = asking(...times(6, generation(true, silent), generation(false)))
    expect(ask(generation(false))).not.toThrow()
    expect(ask(generation(true))).toThrow(
      /^POST \/api\/v3\/message\/generate as a stream is skipped after 6 .*\(limits\.timeoutMs\)$/,
    )
  })
})

function list(ending: Ending = whole): Exchange {
  return exchange(null, { url: 'http://localhost/api/v3/chat', ending })
}

function generation(stream: boolean, ending: Ending = whole): Exchange {
  const url = 'http://localhost/api/v3/message/generate'
  return exchange(null, { method: 'POST', url, body: JSON.stringify({ stream }), ending })
}

describe('a semaphore', () => {
  test('admits a limited number of holders, all in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.nat(20), async (slots, holders) => {
        const semaphore = createSemaphore(slots)
        const order: number[] = []
        let inside = 0
        let max = 0
        const hold = async (holder: number) => {
          const slot = await semaphore.acquire()
          order.push(holder)
          inside += 1
          max = Math.max(max, inside)
          await Promise.resolve()
          inside -= 1
          slot.release()
        }
        await Promise.all(Array.from({ length: holders }, (_, holder) => hold(holder)))
        expect(order).toEqual(Array.from({ length: holders }, (_, holder) => holder))
        expect(max).toBe(Math.min(slots, holders))
      }),
    )
  })

  test('ignores the second release of a slot', async () => {
    const semaphore = createSemaphore(1)
    const slot = await semaphore.acquire()
    slot.release()
    slot.release()
    await semaphore.acquire()
    const third = vi.fn()
    semaphore.acquire().then(third)
    await Promise.resolve()
    expect(third).not.toHaveBeenCalled()
  })
})

describe('a lent slot', () => {
  const turn = () => new Promise(setImmediate)

  test('goes to others meanwhile, and back before new holders', async () => {
    const semaphore = createSemaphore(2)
    const [slot] = await Promise.all([semaphore.acquire(), semaphore.acquire()])
    const waited = Promise.withResolvers<void>()
    const order: string[] = []
    const back = slot.lend(() => waited.promise).then(() => order.push('back'))
    const other = await semaphore.acquire()
    semaphore.acquire().then(() => order.push('late'))
    waited.resolve()
    await turn()
    expect(order).toEqual([])
    other.release()
    await back
    expect(order).toEqual(['back'])
    slot.release()
    await turn()
    expect(order).toEqual(['back', 'late'])
  })

  test.each([
    ['there is only one slot', 1, Infinity],
    ['its holder has a rank', 2, 0],
  ])('is kept if %s', async (_, slots, rank) => {
    const semaphore = createSemaphore(slots)
    const slot = await semaphore.acquire({ rank })
    const entered = vi.fn()
    semaphore.acquire().then(entered)
    await slot.lend(async () => {
      await turn()
      expect(entered).not.toHaveBeenCalled()
    })
  })
})

test.each([1, 2])('holders of %i slots wait for all others, once', async (slots) => {
  const semaphore = createSemaphore(slots)
  const order: string[] = []
  const run = async (name: string, pauses: boolean) => {
    const slot = await semaphore.acquire()
    order.push(`${name} early`)
    await slot.lend(() => new Promise(setImmediate))
    if (pauses) {
      await slot.waitForOthers()
      order.push(`${name} late`)
      await slot.waitForOthers()
    }
    slot.release()
  }
  await Promise.all([run('a', true), run('b', false), run('c', true), run('d', false)])
  const early = ['a early', 'b early', 'c early', 'd early']
  expect(order.slice(0, 4)).toEqual(early)
  expect(order.slice(4).toSorted()).toEqual(['a late', 'c late'])
  const last = await semaphore.acquire()
  await last.waitForOthers()
  last.release()
})

test('holders of a rank are alone until all have left', async () => {
  const semaphore = createSemaphore(8)
  const entered: string[] = []
  const enter = async (name: string, rank: number) => {
    const { release } = await semaphore.acquire({ rank })
    entered.push(name)
    return release
  }
  const other = enter('other', Infinity)
  const next = enter('next', 1)
  const [one, two] = await Promise.all([enter('one', 0), enter('two', 0)])
  one()
  await new Promise(setImmediate)
  expect(entered).toEqual(['one', 'two'])
  two()
  const leave = await next
  expect(entered).toEqual(['one', 'two', 'next'])
  leave()
  await other
  expect(entered).toEqual(['one', 'two', 'next', 'other'])
})

test('long holders enter first, in order', async () => {
  const semaphore = createSemaphore(1)
  const entered: number[] = []
  const holders = [false, true, false, true].map(async (isLong, at) => {
    const { release } = await semaphore.acquire({ rank: Infinity, isLong })
    entered.push(at)
    release()
  })
  await Promise.all(holders)
  expect(entered).toEqual([1, 3, 0, 2])
})

test('a budget reserves one deletion for each existing chat', () => {
  const budget = createBudget({ maxRequests: 2, maxGenerations: 9 }, newRunState().budget)
  const request = (role: ExchangeLabels['role'], id: string) =>
    exchangeOf({ method: 'DELETE', url: `http://localhost/api/v3/chat/${id}`, role })
  const [kept, deleted] = ['5c3f', '77aa']
  for (const id of [kept, deleted]) {
    const about = { kind: 'chat', name: id, scenario: 'one' } as const
    budget.track({ event: 'create', ...about })
    budget.track({ event: 'created', ...about, id })
  }
  budget.track({ event: 'deleted', kind: 'chat', id: deleted })
  budget.spend(request('probe', deleted))
  expect(() => budget.assertCovers(request('probe', kept))).toThrow('the budget of 2 requests')
  expect(() => budget.assertCovers(request('cleanup', deleted))).toThrow('the budget of 2 requests')
  budget.assertCovers(request('cleanup', kept))
})

test('a clock set back by an hour delays no requests', async () => {
  const pace = createRateLimiter({ requestsPerSecond: 1000, retryAfterMs: 30_000 })
  await pace.waitForSlots(1)
  const hourAgo = Date.now() - 3_600_000
  const clock = vi.spyOn(Date, 'now').mockReturnValue(hourAgo)
  onTestFinished(() => clock.mockRestore())
  await pace.waitForSlots(1, () => AbortSignal.timeout(1_000))
})
