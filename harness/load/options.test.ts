import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forAll } from '../../contract/test-support/for-all.ts'
import { mapConcurrently, sleep, withGracePeriod } from './clock.ts'
import { connectionProblem } from './options.ts'
import { shareOf } from './plan/plan.ts'
import { plainTarget } from './target.ts'

const target = plainTarget('http://127.0.0.1:1', 'key')
const list = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `${at}`, baseUrl: `http://127.0.0.1:${at}` }))
const targetOf = (count: number) =>
  count === 1 ? target : { ...target, endpoints: { list: list(count), spread: 'sticky' as const } }

test('a limit fits if each worker has its connections to each endpoint, and no fewer fit', () => {
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

test('the problem says what to pass', () => {
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

test('mapConcurrently keeps the order and the bound, and maps each value once', async () => {
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

test('mapConcurrently starts nothing after a rejection and awaits what is in flight', async () => {
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

test('sleep ends with its signal, withGracePeriod only later', async () => {
  const stop = new AbortController()
  const delayed = withGracePeriod(stop.signal)
  const sleeping = sleep(1_000_000, stop.signal)
  stop.abort()
  await sleeping
  await sleep(1_000_000, stop.signal)
  expect(delayed.aborted).toBe(false)
})
