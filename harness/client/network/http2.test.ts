import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { bodyText, type Ending, type Exchange, header } from '../../../contract/index.ts'
import type { Outgoing } from '../conversation.ts'
import { ended } from '../test-support/listen-on-loopback.ts'
import {
  data,
  type Frames,
  goAway,
  head,
  reset,
  startRawHttp2Server,
  trailers,
} from '../test-support/raw-http2-server.ts'
import { outgoing, sendRequest, withTransport } from '../test-support/send.ts'
import {
  authority,
  certificate,
  type Handler,
  startPlainHttp2Server,
  startTlsServer,
} from '../test-support/tls-front.ts'

const trusting = { ca: authority() }

const raw = async (...server: Parameters<typeof startRawHttp2Server>) =>
  ended(await startRawHttp2Server(...server))
const secure = async (...front: Parameters<typeof startTlsServer>) =>
  ended(await startTlsServer(...front))
const plain = async (handle: Handler) => ended(await startPlainHttp2Server(handle))

/** Frames of the whole answer `hello`. */
const hello = (id: number) => [head(id, 'text/plain'), data(id, 'hello', true)]

const http2 = { httpVersion: 'http2' } as const
const event = 'event: a\ndata: 1\n\n'

describe('over TLS with ALPN', () => {
  test.each([
    ['auto', 'h2', 'h2'],
    ['http1', 'http/1.1', 'http/1.1'],
    ['http2', 'h2', 'h2'],
  ] as const)(
    '%s negotiates %s, and all headers are there',
    async (httpVersion, protocol, alpn) => {
      const front = await secure((request, response) => {
        response.writeHead(200, {
          'content-type': 'text/event-stream',
          'retry-after': '7',
          'set-cookie': ['a=1', 'b=2'],
          'x-method': request.method,
        })
        response.end(event)
      })
      const exchange = await sendRequest(front.url, {}, { ...trusting, httpVersion })
      expect(exchange.ending).toMatchObject({ kind: 'complete' })
      expect(exchange.protocol).toBe(protocol)
      const { status, headers = [] } = exchange.response ?? {}
      expect(status).toBe(200)
      expect(header(headers, 'content-type')).toBe('text/event-stream')
      expect(header(headers, 'retry-after')).toBe('7')
      expect(headers.filter(([name]) => name === 'set-cookie')).toEqual([
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ])
      expect(headers.some(([name]) => name.startsWith(':'))).toBe(false)
      expect(exchange.events).toMatchObject([{ name: 'a', data: '1' }])
      expect(front.protocols).toEqual([alpn])
    },
  )

  test('concurrent requests share one connection and keep their own responses', async () => {
    const front = await secure((request, response) => response.end(`answer to ${request.url}`))
    await withTransport(async (transport) => {
      const sent = Array.from({ length: 40 }, (_, at) => {
        return transport.send(outgoing(`${front.url}/${at}?q=ä b`)).exchange
      })
      const exchanges = await Promise.all(sent)
      expect(exchanges.map(bodyText)).toEqual(sent.map((_, at) => `answer to /${at}?q=%C3%A4%20b`))
    }, trusting)
    expect(front.protocols).toEqual(['h2'])
  })

  test('HTTP/1.1 is used on the same connection if it is all that is offered', async () => {
    const front = await secure((_, response) => response.end('hello'), { alpn: ['http/1.1'] })
    const exchange = await sendRequest(front.url, {}, trusting)
    expect([exchange.protocol, bodyText(exchange)]).toEqual(['http/1.1', 'hello'])
    expect(front.protocols).toEqual(['http/1.1'])
  })

  test.each([
    ['http2', 'http/1.1', 'NO_HTTP2', /does not offer HTTP\/2/],
    ['http1', 'h2', expect.any(String), /does not support the requested HTTP version|reset/],
  ] as const)(
    'requesting %s from a server that offers %s is an error with an explanation',
    async (...row) => {
      const [httpVersion, offered, code, sentence] = row
      const front = await secure(() => {}, { alpn: [offered] })
      const exchange = await sendRequest(front.url, {}, { ...trusting, httpVersion })
      const error = expect.stringMatching(sentence)
      expect(exchange).toMatchObject({
        response: null,
        ending: { kind: 'unreachable', code, error },
      })
    },
  )
})

test('HTTP/2 without TLS uses prior knowledge and sends the request unchanged', async () => {
  const front = await plain(async (request, response) => {
    const { method, url, headers, rawHeaders } = request
    const credentials = rawHeaders.filter((_, at) => rawHeaders[at - 1] === 'authorization')
    response.end(JSON.stringify({ method, url, headers, credentials, body: await text(request) }))
  })
  const request = {
    method: 'POST',
    url: `${front.url}/a/b?c=d`,
    headers: [
      ['Authorization', 'Bearer a key'],
      ['authorization', 'Basic b'],
      ['content-type', 'application/json'],
      ['connection', 'close'],
      ['x-twice', '1'],
      ['X-Twice', '2'],
    ],
    body: new TextEncoder().encode('{"a":1}'),
  } as const
  const exchange = await sendRequest(front.url, { request }, http2)
  expect(exchange.ending.kind).toBe('complete')
  expect(JSON.parse(bodyText(exchange))).toMatchObject({
    ...{ method: 'POST', url: '/a/b?c=d', body: '{"a":1}' },
    credentials: ['Bearer a key', 'Basic b'],
    headers: {
      ':authority': new URL(front.url).host,
      ':scheme': 'http',
      'content-length': '7',
      'content-type': 'application/json',
      'x-twice': '1, 2',
    },
  })
})

describe('a stream', () => {
  const answer = (frames: Frames, more: Partial<Outgoing> = {}) =>
    raw(frames).then((server) => sendRequest(server.url, more, http2))
  const coded = gzipSync('hello'.repeat(100))
  const codedHead = { 'content-length': `${coded.length}`, 'content-encoding': 'gzip' }
  const begun = (id: number) => [head(id, 'text/event-stream'), data(id, event)]
  const resetWith = (code: number) => (id: number) => [...begun(id), reset(id, code)]
  const isReset = 'the HTTP/2 stream is reset:'
  const isClosed = 'the connection is closed by the target'

  /** Frames, the ending, the error, and the text that came. */
  test.each(
    Object.entries<[Frames, Ending['kind'], string, string]>({
      'ends with trailers': [
        (id) => [...begun(id), trailers(id, 'x-sum', 'abc')],
        'complete',
        '',
        event,
      ],
      'is reset with CANCEL': [resetWith(8), 'cut', `${isReset} CANCEL (8)`, event],
      'is refused in mid-body': [resetWith(7), 'cut', `${isReset} REFUSED_STREAM (7)`, event],
      'is reset with any code': [resetWith(99), 'cut', `${isReset} unknown code (99)`, event],
      'is reset after its end': [(id) => [...hello(id), reset(id, 0)], 'complete', '', 'hello'],
      'is reset without an error before the announced length': [
        (id) => [
          head(id, 'text/plain', { 'content-length': '10' }),
          data(id, 'hello'),
          reset(id, 0),
        ],
        'cut',
        'the body ends after 5 bytes, its Content-Length is 10',
        'hello',
      ],
      'is reset without an error after the announced length': [
        (id) => [head(id, 'text/plain', codedHead), data(id, coded, true), reset(id, 0)],
        'complete',
        '',
        'hello'.repeat(100),
      ],
      'loses its connection to a GOAWAY': [
        (id) => [...begun(id), goAway(id, 2)],
        'cut',
        'the target closes the HTTP/2 connection: INTERNAL_ERROR (2)',
        event,
      ],
      'completes after a GOAWAY without an error': [
        (id) => [head(id, 'text/plain'), goAway(id, 0), data(id, 'hello', true)],
        'complete',
        '',
        'hello',
      ],
      'is reset before its headers': [
        (id) => [reset(id, 2)],
        'unreachable',
        `${isReset} INTERNAL_ERROR (2)`,
        '',
      ],
      'has its connection closed': [() => null, 'unreachable', isClosed, ''],
    }),
  )('has the right ending if it %s', async (_, [frames, kind, error, text]) => {
    const exchange = await answer(frames)
    expect(exchange.ending.kind).toBe(kind)
    expect('error' in exchange.ending ? exchange.ending.error : '').toBe(error)
    expect(bodyText(exchange)).toBe(text)
    expect(exchange.events).toHaveLength(text === event ? 1 : 0)
  })

  test('is complete after HEAD despite its Content-Length', async () => {
    const server = await raw((id) => [head(id, 'text/plain', { 'content-length': '10' }, true)])
    const request = { ...outgoing(server.url).request, method: 'HEAD' }
    const exchange = await sendRequest(server.url, { request }, http2)
    expect(exchange.ending.kind).toBe('complete')
  })

  test('is sent again once if the server refuses it', async () => {
    const once = await raw((id, turn) => (turn === 0 ? [reset(id, 7)] : hello(id)))
    expect(bodyText(await sendRequest(once.url, {}, http2))).toBe('hello')
    const ever = await raw((id) => [reset(id, 7)])
    expect((await sendRequest(ever.url, {}, http2)).ending).toMatchObject({
      kind: 'unreachable',
      error: `${isReset} REFUSED_STREAM (7)`,
    })
  })

  test('is sent on the next connection if a GOAWAY came before it', async () => {
    const server = await raw((id, turn) => (turn === 0 ? [goAway(0, 0)] : hello(id)))
    expect(bodyText(await sendRequest(server.url, {}, http2))).toBe('hello')
    expect(server.connections).toBe(2)
  })

  test('loses no bytes if head and body arrive in one read', async () => {
    const server = await raw(
      (id) => [head(id, 'text/event-stream'), data(id, event), data(id, event, true)],
      certificate('server'),
    )
    await withTransport(async (transport) => {
      await transport.send(outgoing(server.url)).exchange
      const sent: Promise<Exchange>[] = []
      for (let at = 0; at < 60; at += 1) {
        const head = outgoing(server.url).request
        const request = { ...head, method: 'POST', body: new Uint8Array(900) }
        sent.push(transport.send(outgoing(server.url, { request })).exchange)
        if (at % 3 === 0) await new Promise(setImmediate)
      }
      const bodies = (await Promise.all(sent)).map(bodyText)
      expect(bodies).toEqual(bodies.map(() => event + event))
    }, trusting)
  })

  test('is reset after leaveAfterEvents, and its connection stays open', async () => {
    const left = Promise.withResolvers<number>()
    const front = await plain((request, response) => {
      if (request.url === '/next') {
        response.end('next')
        return
      }
      response.stream.on('close', () => left.resolve(response.stream.rstCode))
      response.stream.on('error', () => {})
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(event.repeat(3))
    })
    await withTransport(async (transport) => {
      const exchange = await transport.send(outgoing(front.url, { leaveAfterEvents: 2 })).exchange
      expect(exchange.ending.kind).toBe('aborted')
      expect(await left.promise).toBe(8)
      const next = await transport.send(outgoing(`${front.url}/next`)).exchange
      expect(bodyText(next)).toBe('next')
    }, http2)
    expect(front.protocols).toHaveLength(1)
  })

  test('times out if it falls silent or never responds', async () => {
    const exchange = await answer(begun, { timeoutMs: 1_000 })
    expect(exchange.ending.kind).toBe('timeout')
    expect(exchange.events).toHaveLength(1)
    expect((await answer(() => [], { timeoutMs: 80 })).ending.kind).toBe('timeout')
  })
})
