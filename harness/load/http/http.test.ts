import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { directNetwork, type NetworkOptions } from '../../client/index.ts'
import { startForwardProxy } from '../../client/test-support/forward-proxy.ts'
import { driven, outcomesOf } from '../test-support/drive.ts'
import { h2Server, trusting } from '../test-support/h2-server.ts'
import { oddServer } from '../test-support/odd-server.ts'
import { ConnectionLimit } from './connection-limit.ts'

const some = { kind: 'openai-stream', perSecond: 20, seconds: 0.2 } as const

describe('a proxy on the way', () => {
  test('gets whole addresses and its own credentials for a target without TLS', async () => {
    const server = await oddServer(() => 'well')
    const proxy = await startProxy()
    const { records } = await driven({ ...some, url: server.url, network: through(proxy.url) })
    expect(outcomesOf(records)).toEqual(['ok'])
    expect(new Set(proxy.requests)).toEqual(
      new Set([`POST ${server.url}/api/openai/chat/completions`]),
    )
    expect(new Set(proxy.credentials)).toEqual(new Set(['Basic dTpw']))
  })

  test.each(['http1', 'http2'] as const)('is a tunnel to a target on TLS, %s', async (version) => {
    const server = await h2Server()
    const proxy = await startProxy()
    const network = { ...through(proxy.url), ca: trusting.ca, httpVersion: version }
    const { records, channels } = await driven({ ...some, url: server.url, network })
    expect(outcomesOf(records)).toEqual(['ok'])
    expect(channels.httpVersion).toBe(version)
    expect(new Set(proxy.requests)).toEqual(
      new Set([`CONNECT ${server.url.replace('https://', '')}`]),
    )
    expect(new Set(proxy.credentials)).toEqual(new Set(['Basic dTpw']))
  })

  test('that refuses is named with what it said', async () => {
    const proxy = await startProxy({ refuse: 407 })
    const network = through(proxy.url)
    const { records } = await driven({ ...some, url: 'https://chat.test', network, perSecond: 10 })
    expect(outcomesOf(records)).toHaveLength(1)
    expect(outcomesOf(records)[0]).toMatch(/^connect the proxy .* requires credentials.*\(407\)$/)
  })
})

test('an address that is named goes before the name service', async () => {
  const server = await oddServer(() => 'well')
  const { port } = new URL(server.url)
  const resolve = [{ host: 'chat.invalid', port: Number(port), address: '127.0.0.1' }]
  const network = { ...directNetwork, resolve }
  const { records } = await driven({ ...some, url: `http://chat.invalid:${port}`, network })
  expect(outcomesOf(records)).toEqual(['ok'])
})

test('a certificate that nobody vouches for is refused, and taken where it is not looked at', async () => {
  const server = await h2Server()
  const refused = await driven({ ...some, url: server.url, network: directNetwork })
  expect(outcomesOf(refused.records)).toEqual(['connect DEPTH_ZERO_SELF_SIGNED_CERT'])
  const network = { ...directNetwork, insecure: true }
  const taken = await driven({ ...some, url: server.url, network })
  expect(outcomesOf(taken.records)).toEqual(['ok'])
})

const through = (proxy: string): NetworkOptions => ({
  ...directNetwork,
  proxy: proxy.replace('http://', 'http://u:p@'),
})

async function startProxy(options: { readonly refuse?: number } = {}) {
  const proxy = await startForwardProxy(options)
  onTestFinished(() => proxy.close())
  return proxy
}

/** A pool of connections that are open, idle or in use. */
class Pool {
  idle = 0
  used = 0
  readonly limit: ConnectionLimit

  constructor(max: number) {
    this.limit = new ConnectionLimit(max, () => this.idle)
  }

  take(count: number): void {
    for (let at = 0; at < count; at += 1) {
      if (this.idle > 0) this.idle -= 1
      else this.limit.opening()
      this.used += 1
    }
  }

  giveBack(): void {
    if (this.used === 0) return
    this.used -= 1
    this.idle += 1
    this.limit.serve()
  }

  lose(): void {
    if (this.used === 0) return
    this.used -= 1
    this.limit.closed(true)
  }
}

type Step = 'one' | 'two' | 'give back' | 'lose' | 'give up'
const steps = fc.array(fc.constantFrom<Step>('one', 'two', 'give back', 'lose', 'give up'), {
  maxLength: 60,
})

test('never more are open than the limit, all are served in order, and nobody waits in vain', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 5 }), steps, (max, script) => {
      const pool = new Pool(max)
      const [served, requested]: [number[], number[]] = [[], []]
      const waiting = new Map<number, { readonly count: number; readonly end: () => void }>()
      const ask = (count: number) => {
        const id = requested.push(requested.length) - 1
        let isServed = false
        const end = pool.limit.wait(count, () => {
          isServed = true
          waiting.delete(id)
          served.push(id)
          pool.take(count)
        })
        if (!isServed) waiting.set(id, { count, end })
      }
      for (const step of script) {
        if (step === 'one') ask(1)
        else if (step === 'two') ask(2)
        else if (step === 'give back') pool.giveBack()
        else if (step === 'lose') pool.lose()
        else {
          const [id, first] = [...waiting][0] ?? []
          if (id !== undefined) waiting.delete(id)
          first?.end()
        }
        expect(pool.idle + pool.used).toBeLessThanOrEqual(max)
        const [next] = waiting.values()
        if (next !== undefined) expect(max - pool.used).toBeLessThan(next.count)
      }
      expect(served).toEqual(served.toSorted((a, b) => a - b))
    }),
  )
})

test('attempts that the peer never saw are not counted as opened', async () => {
  const limit = new ConnectionLimit(2, () => 0)
  for (const reached of [true, false]) {
    limit.opening()
    limit.closed(reached)
  }
  expect(limit.opened).toBe(1)
  await limit.close()
})

test('more than the limit at once is an error, not a wait without end', () => {
  expect(() => new ConnectionLimit(1, () => 0).wait(2, () => {})).toThrow(RangeError)
})
