import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { forAll } from '../../contract/test-support/for-all.ts'
import { mapConcurrently, sleep, withGracePeriod } from './clock.ts'
import { connectionProblem } from './options.ts'
import { shareOf } from './plan/plan.ts'
import { endpointOf, plainTarget, type RoutedRequest, spreads } from './target.ts'
import { load } from './test-support/drive.ts'
import { oddServer } from './test-support/odd-server.ts'

vi.setConfig({ testTimeout: 60_000 })

const request: RoutedRequest = {
  ...{ index: 7, session: 5, nonce: 'nonce', step: 0, chat: undefined, home: undefined },
}
const requests = fc.record({
  index: fc.nat(),
  session: fc.nat(),
  nonce: fc.string({ minLength: 1 }),
  step: fc.nat(20),
  chat: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
  home: fc.constant(undefined),
})
const counts = fc.integer({ min: 2, max: 26 })

describe('endpointOf', () => {
  test('returns the same valid endpoint each time', () => {
    forAll(fc.constantFrom(...spreads), counts, requests, (spread, count, each) => {
      const endpoint = endpointOf(spread, count, each)
      expect([...Array(count).keys()]).toContain(endpoint)
      expect(endpointOf(spread, count, { ...each })).toBe(endpoint)
    })
  })

  test('returns different endpoints for the two requests of a race with round-robin', () => {
    forAll(counts, requests, (count, each) => {
      const twin = { ...each, step: each.step + 1 }
      const [one, other] = [each, twin].map((of) => endpointOf('round-robin', count, of))
      expect(one).not.toBe(other)
    })
  })

  test('follows the chat with sticky, or the session if there is no chat', () => {
    const at = (more: Partial<RoutedRequest>) => endpointOf('sticky', 3, { ...request, ...more })
    forAll(requests, fc.nat(20), ({ chat = 'chat', ...each }, step) => {
      expect(at({ ...each, chat, home: 1 })).toBe(1)
      expect(at({ ...each, chat, step })).toBe(at({ chat }))
      expect(at({ ...each, chat: undefined, session: 4, step })).toBe(1)
    })
  })

  test('is uniform with random', () => {
    const drawn = Array.from({ length: 3000 }, (_, index) =>
      endpointOf('random', 3, { ...request, nonce: `n${index}` }),
    )
    for (const endpoint of [0, 1, 2]) {
      const times = drawn.filter((each) => each === endpoint).length
      expect(Math.abs(times - 1000)).toBeLessThan(100)
    }
  })
})

test('a load on two endpoints has the figures of each, and a failure counts for its own', async () => {
  const servers = [await oddServer(() => 'well'), await oddServer(() => 503)] as const
  const list = servers.map(({ url }, at) => ({ name: 'AB'.charAt(at), baseUrl: url }))
  const [{ url }] = servers
  const endpoints = { list, spread: 'round-robin' } as const
  const report = await load(url, { options: { target: { ...plainTarget(url, 'key'), endpoints } } })
  expect(servers.map(({ requests }) => requests())).toEqual([10, 10])
  expect(report.config.spread).toBe('round-robin')
  expect(report.endpoints).toMatchObject([
    { name: 'A', requests: 10, completed: 10, failed: 0, shed: 0 },
    { name: 'B', requests: 10, completed: 0, failed: 10, shed: 0 },
  ])
  const counts = report.endpoints?.map(
    ({ metrics }) => metrics.find(({ name }) => name === 'ttft')?.response?.count,
  )
  expect(counts).toEqual([10, undefined])
  const alone = await load(url)
  expect(report.plan).toEqual(alone.plan)
  expect(alone).not.toHaveProperty('endpoints')
  expect(alone.config).not.toHaveProperty('spread')
})

const target = plainTarget('http://127.0.0.1:1', 'key')
const list = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `${at}`, baseUrl: `http://127.0.0.1:${at}` }))
const targetOf = (count: number) =>
  count === 1 ? target : { ...target, endpoints: { list: list(count), spread: 'sticky' as const } }

test('a connection limit is accepted if each worker has enough connections to each endpoint', () => {
  const small = fc.integer({ min: 1, max: 8 })
  forAll(small, small, fc.integer({ min: 1, max: 40 }), fc.boolean(), (...values) => {
    const [workers, endpoints, maxConnections, races] = values
    const problem = connectionProblem({
      ...{ maxConnections, workers, keepAlive: true, target: targetOf(endpoints) },
      spec: { idempotencyRaces: races ? 0.1 : 0 },
    })
    const shares = Array.from({ length: workers }, (_, index) =>
      shareOf(maxConnections, { index, of: workers }),
    ).flatMap((own) =>
      Array.from({ length: endpoints }, (_, index) => shareOf(own, { index, of: endpoints })),
    )
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(maxConnections)
    expect(problem === undefined).toBe(Math.min(...shares) >= (races ? 2 : 1))
  })
})

test('a connection limit that is too low is rejected with the values to pass', () => {
  const run = { keepAlive: true, workers: 2, target: targetOf(3) }
  const races = { idempotencyRaces: 0.5 }
  const none = { idempotencyRaces: 0 }
  expect(connectionProblem({ ...run, maxConnections: 5, spec: none })).toBe(
    '--connections 5 is too few for 2 workers x 3 endpoints: pass --connections 6 or fewer --workers',
  )
  expect(connectionProblem({ ...run, maxConnections: 6, spec: races })).toBe(
    '--connections 6 is too few for 2 workers x 3 endpoints x 2 requests of a race: pass --connections 12 or fewer --workers or no --races',
  )
  expect(connectionProblem({ ...run, spec: races })).toBeUndefined()
})

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

test('mapConcurrently keeps order and bound, and maps each value once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 30 }),
      fc.integer({ min: 1, max: 8 }),
      async (turns, concurrency) => {
        let running = 0
        let peak = 0
        const results = await mapConcurrently(turns, concurrency, async (count, index) => {
          running += 1
          peak = Math.max(peak, running)
          for (let turn = 0; turn < count; turn += 1) await nextTurn()
          running -= 1
          return `${index}:${count}`
        })
        expect(results).toEqual(turns.map((count, index) => `${index}:${count}`))
        expect(peak).toBe(Math.min(concurrency, turns.length))
      },
    ),
    { numRuns: 30 },
  )
})

test('mapConcurrently starts nothing after a rejection and awaits running calls', async () => {
  const log: string[] = []
  const failing = mapConcurrently([0, 1, 2, 3, 4], 2, async (value) => {
    log.push(`start ${value}`)
    await nextTurn()
    if (value === 0) throw new Error('first')
    await nextTurn()
    log.push(`end ${value}`)
  })
  await expect(failing).rejects.toThrow('first')
  expect(log).toEqual(['start 0', 'start 1', 'end 1'])
})

test('sleep ends with its signal, withGracePeriod later', async () => {
  const stop = new AbortController()
  const delayed = withGracePeriod(stop.signal)
  const sleeping = sleep(1_000_000, stop.signal)
  stop.abort()
  await sleeping
  await sleep(1_000_000, stop.signal)
  expect(delayed.aborted).toBe(false)
})
