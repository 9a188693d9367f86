import { constants, type ServerHttp2Stream } from 'node:http2'
import { describe, expect, test } from 'vitest'
import { directNetwork } from '../../../client/index.ts'
import { driven, outcomesOf } from '../../test-support/drive.ts'
import { begin, h2Server, speak, speech, trusting } from '../../test-support/odd-server.ts'

const some = { kind: 'openai-stream', perSecond: 40, seconds: 0.25, network: trusting } as const
const every =
  (of: number, other: (stream: ServerHttp2Stream) => void) =>
  (stream: ServerHttp2Stream, n: number) =>
    n % of === of - 1 ? other(stream) : void speak(stream)

describe('HTTP version', () => {
  test('HTTP/2 is negotiated over TLS, with all streams on one connection', async () => {
    const server = await h2Server()
    const { records, channels, integrity } = await driven({ ...some, url: server.url })
    expect(outcomesOf(records)).toEqual(['ok'])
    expect(channels).toMatchObject({ httpVersion: 'http2', opened: 1, http2: { streams: 10 } })
    expect(server.counts).toMatchObject({ sessions: 1, streams: 10 })
    expect(records.map(({ counts }) => counts.newConnection)).toEqual([
      true,
      ...Array.from({ length: 9 }, () => false),
    ])
    expect(integrity).toMatchObject({ streams: 10, events: 10 * speech.length })
  })

  test.each([
    ['HTTP/1.1 over TLS if only HTTP/1.1 is offered', 'http1', true, { http2: null }, 0],
    ['HTTP/2 with prior knowledge', 'http2', false, { opened: 1, http2: { streams: 10 } }, 10],
  ] as const)('%s', async (_, httpVersion, secure, expected, streams) => {
    const server = await h2Server({ secure })
    const network = { ...(secure ? trusting : directNetwork), httpVersion }
    const { records, channels } = await driven({ ...some, network, url: server.url })
    expect(outcomesOf(records)).toEqual(['ok'])
    expect(channels).toMatchObject({ httpVersion, ...expected })
    expect(server.counts.streams).toBe(streams)
  })
})

test('concurrent streams stay within the limit of the target, over several connections', async () => {
  const server = await h2Server({
    settings: { maxConcurrentStreams: 2 },
    answer: (stream) => void speak(stream, { pause: () => new Promise((go) => setTimeout(go, 5)) }),
  })
  const { records, channels } = await driven({ ...some, url: server.url, clients: 6 })
  expect(outcomesOf(records)).toEqual(['ok'])
  expect(channels).toMatchObject({ opened: 3, http2: { allowed: 2, maxAtOnce: 2, resent: 0 } })
  expect(channels.http2?.streams).toBe(records.length)
  expect(server.counts.maxAtOnce).toBe(2)
})

test('requests wait for a free stream if connections are limited', async () => {
  const server = await h2Server({ settings: { maxConcurrentStreams: 2 } })
  const { records, channels } = await driven({
    ...some,
    url: server.url,
    clients: 6,
    connections: 1,
  })
  expect(outcomesOf(records)).toEqual(['ok'])
  expect(channels).toMatchObject({ opened: 1, http2: { maxAtOnce: 2 } })
})

describe('an HTTP/2 ending is named in the outcome', () => {
  test('a stream that is reset before or after its headers', async () => {
    const server = await h2Server({
      answer: (stream, n) => {
        if (n % 2 === 1) begin(stream)
        if (n % 2 === 1) stream.write(speech[0])
        setImmediate(() => stream.destroy(new Error('reset')))
      },
    })
    const { records, channels } = await driven({ ...some, url: server.url })
    expect(outcomesOf(records).sort()).toEqual([
      'connect HTTP/2 stream reset: INTERNAL_ERROR before headers',
      'truncated HTTP/2 stream reset: INTERNAL_ERROR',
    ])
    expect(channels.http2).toMatchObject({ resets: records.length, goaways: 0 })
  })

  test('a connection that ends with GOAWAY', async () => {
    const server = await h2Server({
      answer: (stream) => {
        begin(stream)
        stream.write(speech[0], () => stream.session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM))
      },
    })
    const { records, channels } = await driven({ ...some, url: server.url, perSecond: 4 })
    expect(outcomesOf(records)).toEqual(['truncated HTTP/2 GOAWAY: ENHANCE_YOUR_CALM'])
    expect(channels.http2?.goaways).toBeGreaterThan(0)
    expect(channels.http2?.resets).toBe(0)
  })

  test('a connection that is closed', async () => {
    const server = await h2Server({ answer: (stream) => stream.session?.socket.destroy() })
    const { records, channels } = await driven({ ...some, url: server.url, clients: 1 })
    expect(outcomesOf(records)).toEqual(['connect E_PEER_CLOSED before headers'])
    expect(channels.http2).toMatchObject({ resets: 0 })
  })

  test('a target that does not offer HTTP/2', async () => {
    const server = await h2Server({ secure: false })
    const network = { ...trusting, httpVersion: 'http2' } as const
    const url = server.url.replace('http:', 'https:')
    const { records } = await driven({ ...some, network, url, perSecond: 8 })
    expect(outcomesOf(records)).toHaveLength(1)
    expect(outcomesOf(records)[0]).toMatch(/^connect (ERR_SSL|EPROTO|ECONNRESET)/)
  })
})

describe('a request that the target did not process is resent', () => {
  test('after a graceful GOAWAY', async () => {
    const server = await h2Server({
      answer: every(3, (stream) => {
        const { session } = stream
        void speak(stream)
        stream.on('close', () => session?.close())
      }),
    })
    const { records, channels } = await driven({ ...some, url: server.url, clients: 2 })
    expect(outcomesOf(records)).toEqual(['ok'])
    expect(channels.opened).toBeGreaterThan(1)
    expect(channels.http2?.goaways).toBeGreaterThan(0)
  })

  test('after a refused stream, at most three times', async () => {
    const sessions = new Set<string>()
    const server = await h2Server({
      answer: (stream, _, id) => {
        const refuses = id.endsWith('/7.0') || (id.endsWith('/3.0') && !sessions.has(id))
        sessions.add(id)
        if (refuses) stream.close(constants.NGHTTP2_REFUSED_STREAM)
        else void speak(stream)
      },
    })
    const { records, channels } = await driven({ ...some, url: server.url })
    expect(records.filter(({ outcome }) => outcome.kind === 'ok')).toHaveLength(9)
    expect(records.find(({ index }) => index === 7)?.outcome).toMatchObject({
      ...{ kind: 'connect', detail: 'HTTP/2 stream reset: REFUSED_STREAM before headers' },
    })
    expect(channels.http2).toMatchObject({ streams: 13, resent: 3, resets: 4 })
  })
})

describe('timestamps', () => {
  test('are the same for all streams of one read', async () => {
    const waiting: ServerHttp2Stream[] = []
    let first = true
    const server = await h2Server({
      answer: (stream) => {
        waiting.push(stream)
        if (first && waiting.length < 5) return
        first = false
        // Written in one turn, it leaves in one piece.
        for (const each of waiting.splice(0)) {
          begin(each)
          each.end(speech.join(''))
        }
      },
    })
    const { records } = await driven({ ...some, url: server.url, seconds: 0.05, clients: 5 })
    const together = records.slice(0, 5)
    expect(new Set(together.map(({ timestamps }) => timestamps.headers)).size).toBe(1)
    for (const { timestamps, gapsNs, counts } of together) {
      expect({ gapsNs, generated: counts.generated }).toEqual({ gapsNs: [0, 0], generated: 3 })
      const { sent, headers, firstGenerated, lastGenerated, terminal, ended } = timestamps
      const all = [sent, headers, firstGenerated, lastGenerated, terminal, ended].map(Number)
      expect(all).toEqual(all.toSorted((a, b) => a - b))
    }
  })

  test('differ for deltas that arrive one by one', async () => {
    const pause = () => new Promise((go) => setTimeout(go, 20))
    const server = await h2Server({ answer: (stream) => void speak(stream, { pause }) })
    const { records } = await driven({ ...some, url: server.url, clients: 1 })
    expect(records.length).toBeGreaterThan(0)
    for (const { gapsNs } of records) {
      expect(gapsNs).toHaveLength(2)
      expect(Math.max(...gapsNs)).toBeGreaterThan(5e6)
    }
  })
})
