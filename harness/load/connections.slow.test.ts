import { connect, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { urlOf } from '../client/test-support/listen-on-loopback.ts'
import { childServer } from './child-server.ts'
import { connectionProblem } from './options.ts'
import { type Kind, mixEntry } from './plan/mix.ts'
import type { PlanSpec } from './plan/plan.ts'
import { type LoadTarget, plainTarget } from './target.ts'
import { load } from './test-support/drive.ts'
import { oddServer } from './test-support/odd-server.ts'

const bin = fileURLToPath(new URL('../../bin/chatgen.cjs', import.meta.url))
const kinds: readonly Kind[] = ['openai-stream', 'v3-stream', 'v3-history', 'v3-chat']

const runs = fc
  .record({
    workers: fc.integer({ min: 1, max: 2 }),
    endpoints: fc.integer({ min: 1, max: 2 }),
    spare: fc.integer({ min: 0, max: 3 }),
    kind: fc.constantFrom(...kinds),
    races: fc.constantFrom(0, 0.5),
    churn: fc.constantFrom(0, 0.3),
    keepAlive: fc.boolean(),
  })
  .map(({ spare, ...run }) => {
    const lower = run.workers * run.endpoints * (run.races > 0 ? 2 : 1)
    return { ...run, connections: lower + spare }
  })

test('open sockets never exceed --connections, and the report counts all sockets', async () => {
  const server = await childServer([bin, 'serve', '--port', '0', '--key', 'key'])
  onTestFinished(() => server.stop())
  await fc.assert(
    fc.asyncProperty(runs, async ({ workers, endpoints, connections, kind, ...run }) => {
      const fronts = await Promise.all(
        Array.from({ length: endpoints }, () => countingFront(server.url)),
      )
      const [first] = fronts
      const target: LoadTarget = {
        ...plainTarget(first?.url ?? '', 'key'),
        ...(endpoints === 1
          ? {}
          : {
              endpoints: {
                list: fronts.map(({ url }) => ({ name: url, baseUrl: url })),
                spread: 'round-robin',
              },
            }),
      }
      const spec: Partial<PlanSpec> = {
        mix: { name: kind, entries: [mixEntry({ name: kind, kind })] },
        idempotencyRaces: run.races,
        misbehavior: { slowReader: 0, abort: 0, churn: run.churn },
      }
      const { keepAlive } = run
      const limit = { maxConnections: connections, workers, keepAlive }
      expect(
        connectionProblem({ ...limit, target, spec: { idempotencyRaces: run.races } }),
      ).toBeUndefined()
      const report = await load(first?.url ?? '', { spec, options: { ...limit, target } })
      expect(report.faults).toEqual([])
      expect(report.integrity.findings).toEqual([])
      expect(fronts.reduce((sum, { peak }) => sum + peak(), 0)).toBeLessThanOrEqual(connections)
      const total = fronts.reduce((sum, front) => sum + front.total(), 0)
      expect(report.connections.opened).toBe(total)
      expect(total).toBeGreaterThan(0)
    }),
    { numRuns: 8 },
  )
}, 300_000)

test('a server that closes each connection after its stream gets one request per connection', async () => {
  const { url } = await oddServer(() => 'closing', { tokens: 2, gapMs: 1 })
  const spec = { arrival: { kind: 'closed', concurrency: 2, maxTransactions: 1e6 } } as const
  const { rates, metrics } = await load(url, { seconds: 1, spec, options: { workers: 1 } })
  expect(metrics.length).toBeGreaterThan(0)
  // The first ones of each client may race with the close.
  expect(rates.failed.count).toBeLessThanOrEqual(4)
  expect(rates.completed.count).toBeGreaterThan(10)
})

/** Forwards bytes. A socket counts as open until its end is read. */
async function countingFront(upstream: string) {
  const { port, hostname } = new URL(upstream)
  let [open, peak, total] = [0, 0, 0]
  const server = createServer({ allowHalfOpen: false }, (socket) => {
    total += 1
    open += 1
    // An earlier socket that the client has closed by now is noticed in the same turn.
    setImmediate(() => {
      peak = Math.max(peak, open)
    })
    let isOver = false
    const over = () => {
      if (!isOver) open -= 1
      isOver = true
      target.destroy()
    }
    const target = connect({ port: Number(port), host: hostname })
    socket
      .on('error', () => {})
      .on('end', over)
      .on('close', over)
    target.on('error', () => {}).on('close', () => socket.destroy())
    socket.pipe(target).pipe(socket)
  })
  const url = await urlOf(server)
  /** Sockets so far, and the peak of open ones. */
  return { url, total: () => total, peak: () => peak }
}
