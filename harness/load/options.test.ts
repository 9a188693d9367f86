import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from './concurrency.ts'
import { connectionProblem } from './options.ts'
import { plainTarget } from './target.ts'

const target = plainTarget('http://127.0.0.1:1', 'key')
const list = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `${at}`, baseUrl: `http://127.0.0.1:${at}` }))
const targetOf = (count: number) =>
  count === 1 ? target : { ...target, endpoints: { list: list(count), spread: 'sticky' as const } }

test('a limit fits if each worker has its connections to each endpoint, and no fewer fit', () => {
  const small = fc.integer({ min: 1, max: 8 })
  fc.assert(
    fc.property(small, small, fc.integer({ min: 1, max: 40 }), fc.boolean(), (...values) => {
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
    }),
  )
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
