import type { Socket } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { forAll } from '../../../contract/test-support/for-all.ts'
import { directNetwork, type NetworkOptions } from '../../client/index.ts'
import {
  ended,
  pour,
  rawServer,
  startForwardProxy,
} from '../../client/test-support/listen-on-loopback.ts'
import { driven, outcomesOf } from '../test-support/drive.ts'
import { h2Server, oddServer, speech, trusting } from '../test-support/odd-server.ts'
import { ConnectionLimit } from './channel.ts'

const some = { kind: 'openai-stream', perSecond: 20, seconds: 0.2 } as const

async function outcomesAt(url: string, more: Partial<Parameters<typeof driven>[0]> = {}) {
  return outcomesOf((await driven({ ...some, url, ...more })).records)
}

describe('a proxy', () => {
  test('gets absolute URLs and its own credentials for a target without TLS', async () => {
    const server = await oddServer(() => 'well')
    const proxy = ended(await startForwardProxy())
    expect(await outcomesAt(server.url, { network: through(proxy.url) })).toEqual(['ok'])
    expect(new Set(proxy.requests)).toEqual(
      new Set([`POST ${server.url}/api/openai/chat/completions`]),
    )
    expect(new Set(proxy.credentials)).toEqual(new Set(['Basic dTpw']))
  })

  test.each(['http1', 'http2'] as const)(
    'tunnels to a target with TLS over %s',
    async (version) => {
      const server = await h2Server()
      const proxy = ended(await startForwardProxy())
      const network = { ...through(proxy.url), ca: trusting.ca, httpVersion: version }
      const { records, channels } = await driven({ ...some, url: server.url, network })
      expect(outcomesOf(records)).toEqual(['ok'])
      expect(channels.httpVersion).toBe(version)
      expect(new Set(proxy.requests)).toEqual(
        new Set([`CONNECT ${server.url.replace('https://', '')}`]),
      )
      expect(new Set(proxy.credentials)).toEqual(new Set(['Basic dTpw']))
    },
  )

  test('is named in the outcome if it refuses the tunnel', async () => {
    const proxy = ended(await startForwardProxy({ refuse: 407 }))
    const network = through(proxy.url)
    const [outcome, ...others] = await outcomesAt('https://chat.test', { network, perSecond: 10 })
    expect(others).toEqual([])
    expect(outcome).toMatch(/^connect the proxy .* requires credentials.*\(407\)$/)
  })
})

test('an address of --resolve takes precedence over DNS', async () => {
  const server = await oddServer(() => 'well')
  const { port } = new URL(server.url)
  const resolve = [{ host: 'chat.invalid', port: Number(port), address: '127.0.0.1' }]
  const network = { ...directNetwork, resolve }
  expect(await outcomesAt(`http://chat.invalid:${port}`, { network })).toEqual(['ok'])
})

test('a self-signed certificate is rejected unless insecure is set', async () => {
  const server = await h2Server()
  const refused = await outcomesAt(server.url, { network: directNetwork })
  expect(refused).toEqual(['connect DEPTH_ZERO_SELF_SIGNED_CERT'])
  const network = { ...directNetwork, insecure: true }
  expect(await outcomesAt(server.url, { network })).toEqual(['ok'])
})

const through = (proxy: string): NetworkOptions => ({
  ...directNetwork,
  proxy: proxy.replace('http://', 'http://u:p@'),
})

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

test('open connections never exceed the limit, and waiting requests are served in order', () => {
  forAll(fc.integer({ min: 2, max: 5 }), steps, (max, script) => {
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
  })
})

test('connection attempts that did not reach the peer are not counted as opened', async () => {
  const limit = new ConnectionLimit(2, () => 0)
  for (const reached of [true, false]) {
    limit.opening()
    limit.closed(reached)
  }
  expect(limit.opened).toBe(1)
  await limit.close()
})

test('waiting for more connections than the limit throws a RangeError', () => {
  expect(() => new ConnectionLimit(1, () => 0).wait(2, () => {})).toThrow(RangeError)
})

const limits = {
  ...{ bodyBytes: 300_000, streamBytes: 400_000, lineBytes: 100_000 },
  ...{ streamEvents: 1000, jsonDepth: 50 },
}
const head = (type: string, more = '') => `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n${more}\r\n`
const stream = head('text/event-stream')
const inOnePiece = (type: string, body: string) =>
  head(type, `content-length: ${Buffer.byteLength(body)}\r\n`) + body

describe('response limits', () => {
  test.each<[string, string, string, string]>([
    ['a body', head('application/json'), 'a', 'limit a body of more than 300000 bytes'],
    ['a line', `${stream}data: `, 'a', 'limit a line or an event of more than 100000 bytes'],
    ['comments', stream, ': a\n\n', 'limit a line or an event of more than 100000 bytes'],
    [
      'events of text',
      stream,
      speech[1]?.replace('one', 'w'.repeat(500)) ?? '',
      'limit a stream of more than 400000 bytes',
    ],
    ['small events', stream, 'data: {}\n\n', 'limit a stream of more than 1000 events'],
  ])('stop %s without end', async (_, begin, again, expected) => {
    const url = await raw((socket) => pour(socket, begin, again.repeat(20_000 / again.length)))
    expect(await outcomesAt(url, { limits })).toEqual([expected])
  })

  test('stop JSON that is nested 100,000 levels deep', async () => {
    const body = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const url = await raw((socket) => socket.write(inOnePiece('application/json', body)))
    expect(await outcomesAt(url, { limits })).toEqual([
      'limit JSON nested more than 50 levels deep',
    ])
  })

  test('allow a response of normal length', async () => {
    const url = await raw((socket) =>
      socket.write(`${stream}${speech.join('')}`, () => socket.end()),
    )
    expect(await outcomesAt(url, { limits })).toEqual(['ok'])
  })
})

describe('bytes that are not HTTP are quoted in the outcome', () => {
  const none = 'not an HTTP/1.1 answer'
  test.each<[string, string, string]>([
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', `${none}: "SSH-2.0-OpenSSH_9.2\\r\\n"`],
    ['a terminal escape', 'XYZ \x1b[2J\r\n\r\n', `${none}: "XYZ \\u001b[2J"`],
    ['a status of five digits', 'HTTP/1.1 99999 OK\r\n\r\n', `${none}: "HTTP/1.1 99999 OK"`],
    ['the status 000', 'HTTP/1.1 000 No\r\n\r\n', `${none}: "HTTP/1.1 000 No"`],
    [
      'an alert of TLS',
      '\x15\x03\x01\x00\x02\x02\x46',
      `${none}: "\\u0015\\u0003\\u0001\\u0000\\u0002\\u0002F"; it looks like TLS: try https://`,
    ],
    [
      'settings of HTTP/2',
      '\0\0\0\x04',
      `${none}: "\\u0000\\u0000\\u0000\\u0004"; it looks like HTTP/2: try --http2`,
    ],
    [
      'a header line without a colon',
      'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n',
      'not an HTTP header: "nonsense"',
    ],
  ])('%s', async (_, bytes, expected) => {
    const url = await raw((socket) => socket.write(Buffer.from(bytes, 'latin1')))
    expect(await outcomesAt(url)).toEqual([`unreadable ${expected}`])
  })

  test('an invalid chunk size in the middle of a body', async () => {
    const url = await raw((socket) =>
      socket.write(`${head('text/event-stream', 'transfer-encoding: chunked\r\n')}zz\r\n`),
    )
    expect(await outcomesAt(url)).toEqual(['unreadable not a chunk size: "zz"'])
  })
})

test('an HTML page is quoted in the finding', async () => {
  const page = '<!DOCTYPE html><title>Sign in</title>'
  const url = await raw((socket) => socket.write(inOnePiece('text/html; charset=utf-8', page)))
  const { records, integrity } = await driven({ ...some, url })
  expect(outcomesOf(records)).toEqual(['integrity OAI-STREAM-01 (text/html)'])
  expect(integrity.tally['OAI-STREAM-01']?.first?.why).toContain(
    'Received: 200 with "text/html", 37 bytes that begin with "<!DOCTYPE html><title>Sign in</title>"',
  )
})

test('a slow trickle of bytes does not delay the end of the drain', async () => {
  const url = await raw((socket) => {
    socket.write(stream)
    const timer = setInterval(() => socket.write('d'), 5)
    socket.on('close', () => clearInterval(timer))
  })
  const before = performance.now()
  expect(await outcomesAt(url, { drainSeconds: 0.5 })).toEqual(['open'])
  expect(performance.now() - before).toBeLessThan(15_000)
})

test('a 429 with a Retry-After of thirty years is not retried', async () => {
  const refusal = 'HTTP/1.1 429 No\r\nretry-after: 999999999\r\ncontent-length: 2\r\n\r\n{}'
  const url = await raw((socket) => socket.write(refusal))
  expect(await outcomesAt(url)).toEqual(['shed 429'])
})

async function raw(script: (socket: Socket) => unknown): Promise<string> {
  return (await rawServer(script)).url
}
