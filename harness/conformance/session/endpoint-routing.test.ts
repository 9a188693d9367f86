import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Exchange } from '../../../contract/index.ts'
import type { Endpoint } from '../profile/index.ts'
import { createEndpointRouting } from './endpoint-routing.ts'
import type { RequestSpec } from './requests/wire-request.ts'

const settleMs = 60_000
const read: RequestSpec = { surface: 'v3', method: 'GET', path: '/api/v3/chat' }
const write: RequestSpec = { surface: 'v3', method: 'POST', path: '/api/v3/chat' }
const answered = (status: number) => ({ response: { status } }) as Exchange

function routingOf(count: number, seed = 'seed') {
  const names = Array.from('ABCDEFGH').slice(0, count)
  const [first, second, ...others] = names.map(
    (name): Endpoint => ({ name, baseUrl: `http://${name}.example` }),
  )
  if (first === undefined || second === undefined) throw new Error('too few endpoints')
  return createEndpointRouting([first, second, ...others], seed, settleMs)
}

function keyed(key: string): RequestSpec {
  return { ...write, headers: { 'Idempotency-Key': key } }
}

const counts = fc.integer({ min: 2, max: 8 })

test('consecutive requests go to different endpoints, and all endpoints are used, by the seed', () => {
  fc.assert(
    fc.property(counts, fc.string(), (count, seed) => {
      const routing = routingOf(count, seed)
      const names = Array.from({ length: 3 * count }, () => routing.route(read).endpoint.name)
      expect(names.filter((name, at) => name === names[at + 1])).toEqual([])
      expect(new Set(names).size).toBe(count)
      const again = routingOf(count, seed)
      expect(names.map(() => again.route(read).endpoint.name)).toEqual(names)
    }),
  )
})

test('a repeat with the same Idempotency-Key goes to another endpoint than the first', () => {
  fc.assert(
    fc.property(counts, fc.nat({ max: 9 }), fc.string(), (count, between, seed) => {
      const routing = routingOf(count, seed)
      const first = routing.route(keyed('k')).endpoint
      for (let at = 0; at < between; at += 1) routing.route(read)
      expect(routing.route(keyed('k')).endpoint).not.toBe(first)
      expect(routing.route(keyed('k')).endpoint).not.toBe(first)
    }),
  )
})

test('a request waits until a change at another endpoint must be visible', () => {
  const routing = routingOf(3)
  const change = routing.route(write)
  const racing = routing.route(write)
  expect(racing.settlingMs()).toBe(0)
  change.ended(answered(201))
  const later = routing.route(read)
  expect(later.settlingMs()).toBeGreaterThan(settleMs - 5_000)
  const atTheSame = routing.route(read)
  expect(atTheSame.endpoint).toBe(change.endpoint)
  expect(atTheSame.settlingMs()).toBe(0)
})

test.each([
  ['a refused change', write, 404],
  ['a read', read, 200],
  ['a one-shot', { ...write, path: '/api/v3/message/one-shot' }, 200],
])('%s is not waited for', (_, spec, status) => {
  const routing = routingOf(3)
  routing.route(spec).ended(answered(status))
  expect(routing.route(read).settlingMs()).toBe(0)
})

test('a repeat does not wait for the request that it repeats, but for the changes before it', () => {
  const routing = routingOf(3)
  routing.route(keyed('k')).ended(answered(200))
  expect(routing.route(keyed('k')).settlingMs()).toBe(0)
  routing.route(keyed('other')).ended(answered(200))
  expect(routing.route(keyed('k')).settlingMs()).toBeGreaterThan(0)
})

test('a repeated read goes to the same endpoints each time, and polls begin at each of them', async () => {
  await fc.assert(
    fc.asyncProperty(counts, fc.integer({ min: 1, max: 5 }), async (count, pages) => {
      const routing = routingOf(count)
      routing.route(write).ended(answered(201))
      const walk = async () => {
        const routes = Array.from({ length: pages }, () => routing.route(read))
        return routes.map((route) => ({ name: route.endpoint.name, waitMs: route.settlingMs() }))
      }
      const polls = Array.from({ length: count }, () => routing.repeated(walk, { isPoll: true }))
      const first = await Promise.all(polls.map((poll) => poll()))
      expect(await Promise.all(polls.map((poll) => poll()))).toEqual(first)
      expect(new Set(first.map(([page]) => page?.name)).size).toBe(count)
      expect(first.flat().filter(({ waitMs }) => waitMs > 0)).toEqual([])
    }),
  )
})

test('what tidies up goes to the endpoint of the latest change', () => {
  const routing = routingOf(4)
  routing.route(write).ended(answered(201))
  const latest = routing.route(write)
  latest.ended(answered(201))
  routing.route(read)
  const cleanup = routing.route({ ...write, method: 'DELETE', role: 'cleanup' })
  expect(cleanup.endpoint).toBe(latest.endpoint)
})
