import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { forAll } from '../../contract/test-support/for-all.ts'
import { endpointOf, plainTarget, type RoutedRequest, type Spread, spreads } from './target.ts'
import { load, type TestLoad } from './test-support/drive.ts'
import { type Manner, oddServer } from './test-support/odd-server.ts'

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

describe('the endpoint of a request', () => {
  test('is one of the endpoints, the same each time', () => {
    forAll(fc.constantFrom(...spreads), counts, requests, (spread, count, each) => {
      const endpoint = endpointOf(spread, count, each)
      expect([...Array(count).keys()]).toContain(endpoint)
      expect(endpointOf(spread, count, { ...each })).toBe(endpoint)
    })
  })

  test('differs for the two requests of a race with round-robin', () => {
    forAll(counts, requests, (count, each) => {
      const twin = { ...each, step: each.step + 1 }
      const [one, other] = [each, twin].map((of) => endpointOf('round-robin', count, of))
      expect(one).not.toBe(other)
    })
  })

  test('is, with sticky, that of the chat, or else that of the session', () => {
    const at = (more: Partial<RoutedRequest>) => endpointOf('sticky', 3, { ...request, ...more })
    forAll(requests, fc.nat(20), ({ chat = 'chat', ...each }, step) => {
      expect(at({ ...each, chat, home: 1 })).toBe(1)
      expect(at({ ...each, chat, step })).toBe(at({ chat }))
      expect(at({ ...each, chat: undefined, session: 4, step })).toBe(1)
    })
  })

  test('is drawn evenly with random', () => {
    const drawn = Array.from({ length: 3000 }, (_, index) =>
      endpointOf('random', 3, { ...request, nonce: `n${index}` }),
    )
    for (const endpoint of [0, 1, 2]) {
      const times = drawn.filter((each) => each === endpoint).length
      expect(Math.abs(times - 1000)).toBeLessThan(100)
    }
  })
})

/** A load on two servers, the second of which answers in a given manner. */
async function spreadLoad(spread: Spread, second: Manner, test: TestLoad = {}) {
  const servers = [await oddServer(() => 'well'), await oddServer(() => second)] as const
  const list = servers.map(({ url }, at) => ({ name: 'AB'.charAt(at), baseUrl: url }))
  const [{ url }] = servers
  const target = { ...plainTarget(url, 'key'), timeoutMs: 5000, endpoints: { list, spread } }
  const report = await load(url, { ...test, options: { ...test.options, target } })
  return { report, received: servers.map((server) => server.requests()) }
}

describe('a load on two endpoints', () => {
  test.each(spreads)('%s: the report has the figures of each', async (spread) => {
    const { report, received } = await spreadLoad(spread, 'well')
    expect(report.config.spread).toBe(spread)
    expect(report.endpoints?.map(({ name, requests }) => [name, requests])).toEqual([
      ['A', received[0]],
      ['B', received[1]],
    ])
    expect(received[0]).toBeGreaterThan(0)
    expect((received[0] ?? 0) + (received[1] ?? 0)).toBe(20)
    for (const { requests, completed, metrics } of report.endpoints ?? []) {
      expect(completed).toBe(requests)
      const ttft = metrics.find(({ name }) => name === 'ttft')
      expect(ttft?.response?.count).toBe(requests)
    }
  })

  test('a failure counts for the endpoint that showed it', async () => {
    const { report } = await spreadLoad('round-robin', 503)
    expect(report.endpoints).toMatchObject([
      { name: 'A', requests: 10, completed: 10, failed: 0, shed: 0 },
      { name: 'B', requests: 10, completed: 0, failed: 10, shed: 0 },
    ])
  })

  test('the plan does not depend on it', async () => {
    const { report } = await spreadLoad('random', 'well')
    const alone = await load(report.target.baseUrl)
    expect(report.plan).toEqual(alone.plan)
  })
})

test('with one endpoint, the report has none of it', async () => {
  const { url } = await oddServer(() => 'well')
  const report = await load(url)
  expect(report).not.toHaveProperty('endpoints')
  expect(report.config).not.toHaveProperty('spread')
})
